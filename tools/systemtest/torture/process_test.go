package torture

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// process is a part that runs in its own process and can be killed,
// stopped and started again with the same arguments.
type process struct {
	name  string
	start func() *exec.Cmd
	log   output

	mu   sync.Mutex // guards what follows
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
}

// output keeps the end of a process's output.
type output struct {
	mu  sync.Mutex
	buf []byte
}

const outputKept = 64 << 10

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf = append(o.buf, p...)
	if n := len(o.buf) - outputKept; n > 0 {
		o.buf = append(o.buf[:0], o.buf[n:]...)
	}
	return len(p), nil
}

// tail returns the last lines.
func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(o.buf), []byte("\n"))
	if len(lines) > 12 {
		lines = lines[len(lines)-12:]
	}
	return string(bytes.Join(lines, []byte("\n")))
}

// run starts the process; one that runs is left alone.
func (p *process) run() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		return nil
	}
	cmd := p.start()
	cmd.Stderr = &p.log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	done := make(chan struct{})
	p.cmd, p.done = cmd, done
	go func() {
		_ = cmd.Wait() // the tests kill it: any end is expected
		p.mu.Lock()
		p.cmd = nil
		p.mu.Unlock()
		close(done)
	}()
	return nil
}

// pid returns the id of the process, 0 if it does not run.
func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// signal sends a signal, if the process runs.
func (p *process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(s) // it may just have ended
	}
}

// end sends a signal and waits until the process is gone.
func (p *process) end(s syscall.Signal) {
	p.mu.Lock()
	cmd, done := p.cmd, p.done
	p.mu.Unlock()
	if cmd == nil {
		return
	}
	_ = cmd.Process.Signal(s) // it may just have ended
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		_ = cmd.Process.Signal(os.Kill)
		<-done
	}
}
