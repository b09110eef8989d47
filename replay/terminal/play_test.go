package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"tapedeck/replay/player"
	"tapedeck/replay/terminal/terminaltest"
)

// faulty is a Remote that fails on demand.
type faulty struct {
	next func(ctx context.Context) ([]byte, error)
	mu   sync.Mutex // guards sent
	sent []Control
}

func (f *faulty) Send(_ context.Context, c Control) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = append(f.sent, c)
	return nil
}

func (f *faulty) Next(ctx context.Context) ([]byte, error) { return f.next(ctx) }

// silent waits for the end of the playback.
func silent(ctx context.Context) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// play runs Play on a screen, with what is typed, and returns its error, or what it
// panicked with.
func play(t *testing.T, r Remote, screen io.Writer, typed string) (result Result, err error) {
	t.Helper()
	in, keyboard, pipeErr := os.Pipe()
	if pipeErr != nil {
		t.Fatal(pipeErr)
	}
	t.Cleanup(func() { in.Close() })
	defer keyboard.Close()
	if _, err := keyboard.WriteString(typed); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panicked: %v", v)
		}
	}()
	return Play(t.Context(), Options{
		In: in, Out: screen, Size: func() (int, int) { return 60, 10 }, Remote: r, Title: "x",
	})
}

// Whatever goes wrong, the screen is the one from before, and the cause is shown.
func TestScreenIsGivenBack(t *testing.T) {
	cut := errors.New("the line was cut")
	for name, tc := range map[string]struct {
		next func(context.Context) ([]byte, error)
		want string
	}{
		"broken off":      {func(context.Context) ([]byte, error) { return nil, cut }, "the playback broke off: the line was cut"},
		"not understood":  {func(context.Context) ([]byte, error) { return []byte("<html>"), nil }, "broke off: invalid character"},
		"a panic outside": {func(context.Context) ([]byte, error) { panic("boom") }, "panicked: boom"},
	} {
		t.Run(name, func(t *testing.T) {
			out := terminaltest.New(60, 10)
			if _, err := play(t, &faulty{next: tc.next}, out, ""); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
			if !out.Restored() {
				t.Error("the other screen is still there")
			}
		})
	}
	t.Run("a panic inside", func(t *testing.T) {
		out := terminaltest.New(60, 10)
		sizes := 0
		defer func() {
			if v := recover(); v != "no size" || !out.Restored() {
				t.Errorf("it panicked with %v; the screen is given back: %v", v, out.Restored())
			}
		}()
		in, keyboard, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		defer keyboard.Close()
		if _, err := keyboard.WriteString("\x0c"); err != nil { // draws anew
			t.Fatal(err)
		}
		_, _ = Play(t.Context(), Options{In: in, Out: out, Remote: &faulty{next: silent}, Size: func() (int, int) {
			if sizes++; sizes > 1 {
				panic("no size")
			}
			return 60, 10
		}})
	})
}

// The terminal's end is the user's.
func TestTerminalEnds(t *testing.T) {
	out, remote := terminaltest.New(60, 10), &faulty{next: silent}
	result, err := play(t, remote, out, " l+gtype:x\rma\x7f\rq")
	if err != nil || result.Interrupt || !out.Restored() {
		t.Errorf("got %+v, %v", result, err)
	}
	var got []string
	for _, c := range remote.sent {
		got = append(got, fmt.Sprint(c.Op, " ", c.To, c.Value))
	}
	if want := "state <nil>|pause <nil>|loop true|speed 1.5|seek type:x<nil>"; strings.Join(got, "|") != want {
		t.Errorf("sent %q, want %s", got, want)
	}
}

// A playback that is not looked at for a while costs no more than the frames that can
// be looked back at, and nothing else of it is lost.
func TestMailboxIsBounded(t *testing.T) {
	const states = 50
	n := 0
	box := newMailbox()
	box.fill(t.Context(), &faulty{next: func(context.Context) ([]byte, error) {
		switch n++; {
		case n > 100_000:
			return nil, io.EOF
		case n%(100_000/states) == 0:
			return []byte(`{"type":"state","op":"state","state":"playing","speed":1}`), nil
		}
		return fmt.Appendf(nil, `{"type":"t","stream_id":"s","seq":%d,"frame":{"n":%d}}`, n, n), nil
	}})
	messages, err := box.take()
	frames, stateCount := 0, 0
	for _, m := range messages {
		if m.StreamID != "" {
			frames++
		} else {
			stateCount++
		}
	}
	if err != io.EOF || stateCount != states || frames < keptFrames || frames >= 2*keptFrames || messages[len(messages)-2].Seq != 99_999 {
		t.Errorf("%d frames, %d states, %v", frames, stateCount, err)
	}
}

// Between frames the clock goes on at the playback's speed.
func TestDeckClock(t *testing.T) {
	now := time.Now()
	d := playback{state: "playing", speed: 2, duration: time.Minute, when: now}
	if got := d.now(now.Add(3 * time.Second)); got != 6*time.Second {
		t.Errorf("got %v", got)
	}
	if got := d.now(now.Add(time.Hour)); got != time.Minute {
		t.Errorf("beyond the end: %v", got)
	}
	if d.speed = player.Max; d.now(now.Add(time.Second)) != 0 {
		t.Error("at speed max only frames advance the time")
	}
	if d.state, d.speed = "paused", 1; d.now(now.Add(time.Second)) != 0 {
		t.Error("it goes on while paused")
	}
}
