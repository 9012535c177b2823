package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// process is the binary as it serves pages.
type process struct {
	cmd    *exec.Cmd
	base   string
	client *http.Client
}

// serve starts it and waits until its store is open.
func serve(s settings) (*process, error) {
	cmd := exec.Command(s.binary, "review", "--store", s.store, "--listen", "127.0.0.1:0")
	said, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	lines := bufio.NewScanner(said)
	var all strings.Builder
	for lines.Scan() {
		if base, ok := strings.CutPrefix(lines.Text(), "review is at "); ok {
			p.base = base
			go func() { _, _ = io.Copy(io.Discard, said) }()
			res, err := p.client.Get(base + "/tasks/no-such-task")
			if err != nil {
				p.stop()
				return nil, err
			}
			return p, res.Body.Close()
		}
		all.WriteString(lines.Text())
	}
	return nil, errors.Join(fmt.Errorf("the program does not serve: %s", all.String()), cmd.Wait())
}

func (p *process) stop() {
	p.client.CloseIdleConnections()
	_ = p.cmd.Process.Signal(os.Interrupt)
	_ = p.cmd.Wait()
}

// ask times one request.
func (p *process) ask(path string, s settings, c *cost, size *int) error {
	used, server, begin := usedBy(p.cmd.Process.Pid), usedBy(s.server), time.Now()
	res, err := p.client.Get(p.base + path)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return err
	}
	clock := time.Since(begin)
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusSeeOther {
		return fmt.Errorf("%s: %s %.300s", path, res.Status, body)
	}
	*size = len(body)
	c.least(cost{clock, usedBy(p.cmd.Process.Pid) - used, usedBy(s.server) - server})
	return nil
}
