// Command tailbench compares what a span costs in tail samplers, in process: the
// same requests are decoded and given to one sampler after the other, each in a
// process of its own with GOMAXPROCS=1. It prints processor time of a span, as the
// operating system counts it, without decoding; and what a pending span takes in
// memory.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

func main() {
	rounds := flag.Int("rounds", 3, "rounds; each contender has its turn in each")
	spans := flag.Int("spans", 200_000, "spans a turn")
	one := flag.String("contender", "", "only this one, in this process")
	size := flag.Int("size", 3500, "bytes of a span")
	held := flag.Bool("held", false, "measure memory in place of time")
	flag.Parse()
	var err error
	if *one != "" {
		err = turn(*one, *size, *spans, *held)
	} else {
		err = compare(*rounds, *spans)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func compare(rounds, spans int) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer out.Flush()
	for _, size := range []int{3500, 400} {
		fmt.Fprintf(out, "spans of %d bytes\tbest µs a span\tmedian\tspans/s of a core, best\theld/wire\n", size)
		got := map[string][]float64{}
		for range rounds {
			for _, c := range contenders {
				v, err := child(c.name, size, spans, false)
				if err != nil {
					return err
				}
				got[c.name] = append(got[c.name], v)
			}
		}
		base := slices.Min(got["decode"])
		for _, c := range contenders {
			v := got[c.name]
			slices.Sort(v)
			if c.name == "decode" {
				fmt.Fprintf(out, "decode only\t%.2f\t%.2f\t\t\n", v[0], v[len(v)/2])
				continue
			}
			held, err := child(c.name, size, spans, true)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%s\t%.2f\t%.2f\t%.0f\t%.2f\n", c.name, v[0]-base, v[len(v)/2]-base, 1e6/(v[0]-base), held)
		}
	}
	return nil
}

// child takes one turn in a process of its own.
func child(name string, size, spans int, held bool) (float64, error) {
	cmd := exec.Command(os.Args[0], "-contender", name, "-size", strconv.Itoa(size), "-spans", strconv.Itoa(spans), fmt.Sprintf("-held=%v", held))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	b, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return strconv.ParseFloat(strings.TrimSpace(string(b)), 64)
}
