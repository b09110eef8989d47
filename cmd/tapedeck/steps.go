package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/console"
)

// stepPrinter prints the steps of a backup or restore to standard error, one line for each step. In
// a long step it shows how much is done and how long the rest takes.
type stepPrinter struct {
	progress *console.Progress // nil between steps

	mu    sync.Mutex // guards the fields below
	step  backup.Step
	began time.Time
}

// show prints a step that begins, or keeps how much of it is done.
func (p *stepPrinter) show(step backup.Step) {
	p.mu.Lock()
	begins := p.step.Name != step.Name
	p.step = step
	if begins {
		p.began = time.Now()
	}
	p.mu.Unlock()
	if !begins || step.Name == "" {
		return
	}
	p.end()
	fmt.Fprintln(console.To(os.Stderr), step.Name)
	p.progress = console.ShowProgress(p.text)
}

// text describes the progress of the current step.
func (p *stepPrinter) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if part := console.Part(p.step.Done, p.step.Total, p.began); part != "" {
		return "  " + part
	}
	return "  " + time.Since(p.began).Round(time.Second).String()
}

// end removes the progress of the last step from the terminal.
func (p *stepPrinter) end() {
	if p.progress != nil {
		p.progress.End()
		p.progress = nil
	}
}
