package terminal

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"tapedeck/replay/player"
)

// prompt asks for a line of text.
type prompt struct {
	label, hint, text string
	done              func(ctx context.Context, text string) error
}

// longestAnswer bounds an answer, bytes.
const longestAnswer = 300

// press applies keys. The error is errQuit if a key quits.
func (p *viewer) press(ctx context.Context, list []key) error {
	for _, k := range list {
		var err error
		switch {
		case k == keyInterrupt:
			p.result.Interrupt = true
			return errQuit
		case p.status.prompt != nil:
			err = p.answer(ctx, k)
		default:
			err = p.apply(ctx, k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// answer applies a key to the prompt.
func (p *viewer) answer(ctx context.Context, k key) error {
	q := p.status.prompt
	switch {
	case k == keyEscape:
		p.status.prompt = nil
	case k == keyEnter:
		p.status.prompt = nil
		if text := strings.TrimSpace(q.text); text != "" {
			return q.done(ctx, text)
		}
	case k == keyBackspace:
		_, n := utf8.DecodeLastRuneInString(q.text)
		q.text = q.text[:len(q.text)-n]
	case k >= ' ' && len(q.text) < longestAnswer:
		q.text += string(rune(k))
	}
	return nil
}

func (p *viewer) apply(ctx context.Context, k key) error {
	now := p.playback.now(time.Now())
	if p.help && k != 'q' {
		p.help = false
		if k == '?' || k == keyEscape {
			return nil
		}
	}
	switch k {
	case 'q', 'Q':
		return errQuit
	case '?', 'h':
		p.help = true
	case keyRedraw:
		p.screen.resize(p.opts.Size())
	case 'f':
		p.raw = !p.raw
	case ' ':
		return p.toggle(ctx)
	case keyLeft:
		return p.seek(ctx, now-leap)
	case keyRight:
		return p.seek(ctx, now+leap)
	case keyUp, keyDown:
		return p.turn(ctx, now, k == keyDown)
	case keyHome:
		return p.seek(ctx, 0)
	case keyEnd:
		if p.playback.live {
			return p.send(ctx, Control{Op: player.Live})
		}
		return p.seek(ctx, p.playback.duration)
	case '.':
		return p.send(ctx, Control{Op: player.Step, Frames: 1})
	case ',':
		return p.send(ctx, Control{Op: player.Step, Frames: -1})
	case '+', '=', '-', '_':
		p.playback.at, p.playback.when = now, time.Now()
		p.playback.speed = p.playback.other(k == '+' || k == '=')
		return p.send(ctx, Control{Op: player.SetSpeed, Value: p.playback.speed})
	case 'l':
		return p.send(ctx, Control{Op: player.SetLoop, Value: !p.playback.looping})
	case 'i':
		if p.playback.idle > 0 {
			return p.send(ctx, Control{Op: player.SetIdle})
		}
		return p.send(ctx, Control{Op: player.SetIdle, Value: shortIdle.String()})
	case 'g':
		p.status.prompt = &prompt{label: "go to", hint: "+12.5s, type:tool_call, a position", done: p.goTo}
	case 'm':
		if p.playback.marker != "" {
			return p.send(ctx, Control{Op: player.SetMark})
		}
		p.status.prompt = &prompt{label: "stop at type", hint: "tool_call", done: p.stopAt}
	}
	if k >= '0' && k <= '9' {
		return p.seek(ctx, p.playback.duration*time.Duration(k-'0')/10)
	}
	return nil
}

func (p *viewer) send(ctx context.Context, c Control) error {
	p.status.note = ""
	ctx, cancel := context.WithTimeout(ctx, controlFor)
	defer cancel()
	if err := p.opts.Remote.Send(ctx, c); err != nil {
		return fmt.Errorf("steer the playback: %w", err)
	}
	return nil
}

// toggle pauses or continues. At the end it restarts.
func (p *viewer) toggle(ctx context.Context) error {
	switch p.playback.state {
	case "playing":
		return p.send(ctx, Control{Op: player.Pause})
	case "ended":
		if err := p.seek(ctx, 0); err != nil {
			return err
		}
	}
	return p.send(ctx, Control{Op: player.Resume})
}

// seek goes to a recorded time. A playback that had reached the end continues from there.
func (p *viewer) seek(ctx context.Context, to time.Duration) error {
	return p.seekTo(ctx, min(max(to, 0), max(p.playback.duration, 0)))
}

func (p *viewer) seekTo(ctx context.Context, to time.Duration) error {
	p.playback.move(to, time.Now())
	return p.goTo(ctx, "+"+to.String())
}

func (p *viewer) goTo(ctx context.Context, place string) error {
	again := p.playback.atEnd
	if err := p.send(ctx, Control{Op: player.Seek, To: place}); err != nil || !again {
		return err
	}
	p.playback.atEnd = false
	return p.send(ctx, Control{Op: player.Resume})
}

func (p *viewer) stopAt(ctx context.Context, kind string) error {
	return p.send(ctx, Control{Op: player.SetMark, Value: "type:" + strings.TrimPrefix(kind, "type:")})
}

// turn goes to the start of the next or the previous tool call or run.
func (p *viewer) turn(ctx context.Context, now time.Duration, forward bool) error {
	if !forward && p.playback.state == "playing" {
		now -= time.Duration(float64(grace) * min(float64(p.playback.speed), 10))
	}
	at, ok := p.story.turn(p.story.start+int64(now), forward)
	if !ok {
		if forward {
			p.setNote("no tool or run begins after this")
			return nil
		}
		at = p.story.start
	}
	return p.seekTo(ctx, time.Duration(at-p.story.start))
}
