package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"tapedeck/replay/player"
)

// Options of Play. All fields except Resized, Stories and Speed must be set.
type Options struct {
	// In is the terminal, in raw mode. A read that is in progress when Play returns continues.
	In io.Reader
	// Out is the terminal; Size returns its columns and lines.
	Out     io.Writer
	Size    func() (width, height int)
	Resized <-chan os.Signal // receives when the size has changed
	Colours bool             // use colours; otherwise only attributes

	Remote  Remote
	Stories <-chan StoryUpdate // receives the story whenever more of the session is known
	Title   string
	Speed   player.Speed // initial speed; 0 means player.Normal
}

// StoryUpdate is the story of a session, or the error of reading it.
type StoryUpdate struct {
	Story *Story
	Err   error
}

// Result is the state in which the user left a playback.
type Result struct {
	At        time.Duration // recorded time, from the session's first frame
	Duration  time.Duration // duration of the session so far
	Ended     bool          // all frames were played
	Interrupt bool          // the user pressed Ctrl-C
}

const (
	// drawEvery is the interval of redraws during an animation.
	drawEvery = 40 * time.Millisecond
	noteFor   = 4 * time.Second // duration of notes
	leap      = 5 * time.Second // distance of an arrow key
	// If the key for the previous turn is pressed within grace after a turn, it skips that turn.
	grace      = 700 * time.Millisecond
	shortIdle  = 2 * time.Second
	controlFor = 5 * time.Second // timeout of sending a control
)

// errQuit is the error if the user quits.
var errQuit = errors.New("quit")

// viewer is the state of Play.
type viewer struct {
	opts       Options
	screen     screen
	keys       keys
	playback   playback
	status     statusLines
	story      *Story
	storyKnown bool // the story, or the fact that there is none, was received
	help       bool
	raw        bool // frames are shown instead of the story
	noted      time.Time
	result     Result
}

// Play shows a playback until the user quits, ctx ends or the playback breaks off. It always
// restores the terminal's screen. A panic in one of Play's goroutines is raised again in the
// caller's goroutine.
func Play(ctx context.Context, opts Options) (result Result, err error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &viewer{opts: opts, story: NewStory(Facts{})}
	p.playback = playback{state: "playing", speed: opts.Speed, when: time.Now()}
	if opts.Speed == 0 {
		p.playback.speed = player.Normal
	}
	p.status.title = oneLine(opts.Title)
	p.screen = screen{w: opts.Out, colours: opts.Colours}
	if _, err := io.WriteString(opts.Out, enter); err != nil {
		cancel()
		return Result{}, err
	}
	defer func() {
		cancel()
		if _, failed := io.WriteString(opts.Out, leave); err == nil {
			err = failed
		}
	}()
	p.screen.resize(opts.Size())

	broken := make(chan string, 2) // the text of a goroutine's panic
	box, typed := newMailbox(), make(chan []byte)
	filled := make(chan struct{})
	guard(broken, func() {
		defer close(filled)
		box.fill(ctx, opts.Remote)
	})
	guard(broken, func() { read(ctx, opts.In, typed) })
	if err = p.send(ctx, Control{Op: player.Ask}); err == nil {
		err = p.run(ctx, box, typed, broken)
	}
	cancel()
	select {
	case <-filled: // the remote is no longer in use
	case <-time.After(controlFor):
	}
	if err == errQuit {
		err = nil
	}
	p.result.At, p.result.Duration = p.playback.now(time.Now()), p.playback.duration
	p.result.Ended = p.playback.state == "ended"
	return p.result, err
}

// guard runs f in a goroutine and sends its panic to broken.
func guard(broken chan<- string, f func()) {
	go func() {
		defer func() {
			if v := recover(); v != nil {
				broken <- fmt.Sprintf("%v\n%s", v, debug.Stack())
			}
		}()
		f()
	}()
}

// read forwards the input. It closes the channel at the end of the input.
func read(ctx context.Context, r io.Reader, typed chan<- []byte) {
	defer close(typed)
	for {
		buf := make([]byte, 256)
		n, err := r.Read(buf)
		if n > 0 {
			select {
			case typed <- buf[:n]:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *viewer) run(ctx context.Context, box *mailbox, typed <-chan []byte, broken <-chan string) error {
	tick := time.NewTicker(drawEvery)
	defer tick.Stop()
	for {
		draw := true
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case why := <-broken:
			panic(why)
		case text, ok := <-typed:
			if !ok {
				return errQuit // the terminal was closed
			}
			err = p.press(ctx, p.keys.feed(text))
		case <-box.wake:
			err = p.take(box)
			draw = false // drawn with the next tick
		case update := <-p.opts.Stories:
			p.storyKnown = true
			if update.Err != nil {
				p.setNote(update.Err.Error())
			} else {
				p.story = update.Story
			}
		case <-p.opts.Resized:
			p.screen.resize(p.opts.Size())
		case <-tick.C:
			if p.status.note != "" && time.Since(p.noted) > noteFor {
				p.status.note = ""
			}
			err = p.press(ctx, p.keys.settle())
		}
		if err == nil && draw {
			err = p.draw()
		}
		if err != nil {
			return err
		}
	}
}

// take applies the received messages.
func (p *viewer) take(box *mailbox) error {
	messages, err := box.take()
	now := time.Now()
	for i := range messages {
		if refused := p.playback.take(&messages[i], now); refused != "" {
			p.setNote(refused)
		}
	}
	if err != nil {
		return fmt.Errorf("the playback broke off: %w", err)
	}
	return nil
}

func (p *viewer) setNote(text string) { p.status.note, p.noted = text, time.Now() }

// draw draws the current state.
func (p *viewer) draw() error {
	width, height := p.screen.width, p.screen.height
	now := p.playback.now(time.Now())
	room := max(height-4, 1)
	frames := p.raw || p.storyKnown && len(p.story.entries) == 0
	var body []row
	switch {
	case p.help:
		body = helpRows()
	case frames:
		body = frameRows(&p.playback, room)
	default:
		body = p.story.rows(p.story.start+int64(now), width, room)
	}
	rows := make([]row, 0, height)
	rows = append(rows, p.status.head(p.story, &p.playback, width))
	rows = append(rows, body[:min(len(body), room)]...)
	for len(rows) < room+1 {
		rows = append(rows, nil)
	}
	rows = append(rows, nil, p.status.progress(p.story, &p.playback, now, width),
		p.status.foot(p.story, &p.playback, now, width, frames))
	return p.screen.draw(rows[max(len(rows)-height, 0):])
}
