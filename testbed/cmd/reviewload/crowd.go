package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"time"
)

// crowd is reviewers at work.
type crowd struct {
	base string
	s    settings

	mu     sync.Mutex
	waited map[string][]time.Duration // by kind of page
	status map[int]int
}

func newCrowd(base string, s settings) *crowd {
	return &crowd{base: base, s: s, waited: map[string][]time.Duration{}, status: map[int]int{}}
}

var taskLink = regexp.MustCompile(`href="(/tasks/[^"/?]+)(?:\?[^"]*)?"`)

// review has all reviewers work until the context ends.
func (c *crowd) review(ctx context.Context, running *sync.WaitGroup) {
	for n := range c.s.reviewers {
		running.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(n), 1))
			client := &http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			defer client.CloseIdleConnections()
			think := func() bool {
				select {
				case <-time.After(time.Duration((0.5 + rng.Float64()) * float64(c.s.think))):
					return true
				case <-ctx.Done():
					return false
				}
			}
			for think() {
				list := c.open(ctx, client, "list", "/tasks")
				found := taskLink.FindAllStringSubmatch(string(list), -1)
				if len(found) == 0 || !think() {
					continue
				}
				task := found[rng.IntN(len(found))][1]
				c.open(ctx, client, "run", task)
				if !think() {
					return
				}
				name, _ := url.PathUnescape(task[len("/tasks/"):])
				c.open(ctx, client, "search", "/search?"+url.Values{"q": {name}}.Encode())
			}
		})
	}
}

func (c *crowd) open(ctx context.Context, client *http.Client, kind, path string) []byte {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, http.NoBody)
	if err != nil {
		panic(err) // the address is well formed
	}
	begin := time.Now()
	res, err := client.Do(req)
	if err != nil {
		return nil // the turn has ended
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waited[kind] = append(c.waited[kind], time.Since(begin))
	c.status[res.StatusCode]++
	return body
}

// tell prints how long reviewers waited.
func (c *crowd) tell(d time.Duration) {
	fmt.Println("| page | answers/s | median ms | 95 of 100 within | slowest |")
	fmt.Println("|---|---|---|---|---|")
	for _, kind := range []string{"list", "run", "search"} {
		w := c.waited[kind]
		if len(w) == 0 {
			continue
		}
		slices.Sort(w)
		ms := func(d time.Duration) int64 { return d.Milliseconds() }
		fmt.Printf("| %s | %.1f | %d | %d | %d |\n", kind, float64(len(w))/d.Seconds(), ms(w[len(w)/2]), ms(w[len(w)*95/100]), ms(w[len(w)-1]))
	}
	fmt.Println("\nanswers by status:", c.status)
}
