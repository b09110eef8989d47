package play

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"tapedeck/replay/player"
	"tapedeck/replay/terminal"
)

// Interactive reports whether standard input and output are a terminal that can show the
// player.
func Interactive() bool {
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("TERM") != "dumb"
}

// OnTerminal plays on the terminal's screen until the user quits. It always restores the terminal.
// result.Interrupt is also set if ctx ended.
func (p *Player) OnTerminal(ctx context.Context, path string, q url.Values, speed player.Speed, follow bool) (result terminal.Result, err error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	q.Set("hold", "1")
	remote, err := dialPlayback(ctx, p.Client, path, q)
	if err != nil {
		return result, p.Reason(err)
	}
	defer remote.close()
	stories := make(chan terminal.StoryUpdate)
	sending, enough := context.WithCancel(ctx)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		sendStories(sending, stories, p, follow)
	}()
	defer func() {
		enough()
		<-sent
	}()
	result, err = showOnTerminal(ctx, terminal.Options{
		In: os.Stdin, Out: os.Stdout, Colours: os.Getenv("NO_COLOR") == "",
		Remote: remote, Stories: stories, Title: p.Session, Speed: speed,
	})
	if ctx.Err() != nil || result.Interrupt {
		result.Interrupt, err = true, nil
	}
	if err != nil {
		err = p.Reason(err)
	}
	return result, err
}

// showOnTerminal shows a playback. Meanwhile the terminal sends each key immediately.
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
