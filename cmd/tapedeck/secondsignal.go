package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// oneSignal is the time within which signals count as one: a terminal and the parent process may
// both send one.
const oneSignal = 500 * time.Millisecond

// endOnSecond ends the process at once when another signal arrives after the one that ended ctx. No
// acknowledged data is lost, since it is on disk. end stops the watch.
func endOnSecond(ctx context.Context, log *slog.Logger) (end func()) {
	ended := make(chan struct{})
	signals := make(chan os.Signal, 1)
	go func() {
		select {
		case <-ctx.Done():
		case <-ended:
			return
		}
		select {
		case <-time.After(oneSignal):
		case <-ended:
			return
		}
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(signals)
		select {
		case <-signals:
			log.Warn("server: second signal, ending at once")
			os.Exit(exitFailed)
		case <-ended:
		}
	}()
	return func() { close(ended) }
}
