package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/replay"
	"tapedeck/replay/terminal"
)

// interactive reports whether there is somebody who sees a screen and has keys.
func interactive() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("TERM") != "dumb"
}

// onScreen plays on the terminal's screen until the user has seen enough. The
// terminal is then as it was, however that comes.
func (c *playCommand) onScreen(ctx context.Context, from *player, path string, q url.Values) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	speed, err := replay.ParseSpeed(c.Speed)
	if err != nil {
		return usage.Errorf("--speed: %v", err)
	}
	q.Set("hold", "1")
	remote, err := dialPlayback(ctx, from.client, path, q)
	if err != nil {
		return from.why(err)
	}
	defer remote.close()
	stories := make(chan terminal.Told)
	telling, enough := context.WithCancel(ctx)
	told := make(chan struct{})
	go func() {
		defer close(told)
		tellStory(telling, stories, from, c.Session, c.Follow)
	}()
	defer func() {
		enough()
		<-told
	}()
	result, err := showOnTerminal(ctx, terminal.Options{
		In: os.Stdin, Out: os.Stdout, Colours: os.Getenv("NO_COLOR") == "",
		Remote: remote, Stories: stories, Title: from.session, Speed: speed,
	})
	gone := ctx.Err() != nil || result.Interrupt
	if !gone && err != nil {
		return from.why(err)
	}
	if !result.Ended {
		fmt.Fprintf(console.To(os.Stdout), "left at %s; \"tapedeck play --from +%s %s\" goes on from there\n",
			result.At.Truncate(time.Millisecond), result.At.Truncate(time.Millisecond), console.SessionWord(c.Session))
	}
	if gone {
		return exitCode(130) // as a shell says of an interrupted command
	}
	return nil
}

// showOnTerminal has the terminal send every key as it is pressed while a playback is
// shown.
func showOnTerminal(ctx context.Context, opts terminal.Options) (result terminal.Result, err error) {
	before, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err != nil {
		return result, fmt.Errorf("use the terminal: %w (--plain prints lines)", err)
	}
	defer func() { err = errors.Join(err, term.Restore(int(os.Stdin.Fd()), before)) }()
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	opts.Resized = resized
	opts.Size = func() (int, int) {
		width, height, err := term.GetSize(int(os.Stdout.Fd()))
		if err != nil || width <= 0 || height <= 0 {
			return 80, 24
		}
		return width, height
	}
	return terminal.Play(ctx, opts)
}
