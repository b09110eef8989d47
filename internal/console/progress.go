package console

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// Progress shows the progress of an operation that takes longer than a second, on
// standard error: as one updated line on a terminal, otherwise as a line every ten
// seconds.
type Progress struct {
	text func() string
	stop chan struct{}
	done sync.WaitGroup
}

const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
	progressLines = 10 * time.Second
)

// ShowProgress shows the result of text until End is called.
func ShowProgress(text func() string) *Progress {
	p := &Progress{text: text, stop: make(chan struct{})}
	p.done.Go(p.run)
	return p
}

func (p *Progress) run() {
	terminal := IsTerminal(os.Stderr)
	every := progressEvery
	if !terminal {
		every = progressLines
	}
	timer := time.NewTimer(max(progressAfter, every))
	defer timer.Stop()
	shown := false
	for {
		select {
		case <-p.stop:
			if shown && terminal {
				fmt.Fprint(os.Stderr, "\r\x1b[K")
			}
			return
		case <-timer.C:
		}
		shown = true
		if terminal {
			fmt.Fprintf(os.Stderr, "\r\x1b[K%s", p.text())
		} else {
			fmt.Fprintln(os.Stderr, p.text())
		}
		timer.Reset(every)
	}
}

// End removes the progress from the terminal.
func (p *Progress) End() {
	close(p.stop)
	p.done.Wait()
}

// IsTerminal reports whether f is a terminal. Other devices, such as /dev/null, are none.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
