package upgrade

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// players play recorded sessions while servers restart. A playback whose connection ends
// goes on after its last frame, as an EventSource does.
type players struct {
	playing sync.WaitGroup
	stop    context.CancelFunc

	mu      sync.Mutex // guards what follows
	whole   int        // playbacks to the end
	resumed int        // connections that ended before
	errs    []error
}

// play starts n players.
func (l *load) play(ctx context.Context, n int) *players {
	sessions := l.recorded("")
	ctx, stop := context.WithCancel(ctx)
	p := &players{stop: stop}
	for first := range n {
		p.playing.Go(func() {
			for i := first; ctx.Err() == nil; i += n {
				r := sessions[i%len(sessions)]
				resumed, err := playOne(ctx, l.fleet.url("api"), r)
				p.mu.Lock()
				p.resumed += resumed
				switch {
				case err == nil:
					p.whole++
				case ctx.Err() == nil:
					p.errs = append(p.errs, fmt.Errorf("play %s: %w", r.id, err))
				}
				p.mu.Unlock()
			}
		})
	}
	return p
}

// end stops the players and reports what they received.
func (p *players) end(t *testing.T) {
	t.Helper()
	p.stop()
	p.playing.Wait()
	t.Logf("%d playbacks to their end, %d connections resumed", p.whole, p.resumed)
	if p.whole == 0 {
		t.Error("no playback reached its end")
	}
	for _, err := range p.errs {
		t.Error(err)
	}
}

// awayLimit bounds how long a playback may find no server.
const awayLimit = time.Minute

// playOne plays a session and compares its frames with what was sent.
func playOne(ctx context.Context, base string, r *recording) (resumed int, err error) {
	var got bytes.Buffer
	last, away := "", time.Now()
	for {
		before := last
		ended, err := playOn(ctx, base, r.id, &last, &got)
		if ended {
			break
		}
		if ctx.Err() != nil {
			return resumed, ctx.Err()
		}
		if last != before {
			away = time.Now()
			resumed++
		} else if time.Since(away) > awayLimit {
			return resumed, fmt.Errorf("not resumed within %v: %w", awayLimit, err)
		}
		time.Sleep(50 * time.Millisecond) // an EventSource waits, too
	}
	if !bytes.Equal(got.Bytes(), r.sent) {
		return resumed, fmt.Errorf("it was resumed %d times: %d bytes were played, %d were sent", resumed, got.Len(), len(r.sent))
	}
	return resumed, nil
}

// playOn plays from after the last frame until the end, or until the connection ends.
func playOn(ctx context.Context, base, id string, last *string, got *bytes.Buffer) (ended bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/v1/sessions/"+id+"/replay?speed=1", nil)
	if err != nil {
		return false, err
	}
	if *last != "" {
		req.Header.Set("Last-Event-ID", *last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return false, errors.New(resp.Status)
	}
	var event, position string
	var data []byte
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			event = value
		case "id":
			position = value
		case "data":
			data = []byte(value)
		case "":
			if event == "end" {
				return true, nil
			}
			var frame struct {
				Position string          `json:"position"`
				Frame    json.RawMessage `json:"frame"`
			}
			if data != nil && json.Unmarshal(data, &frame) == nil && frame.Frame != nil {
				got.Write(frame.Frame)
				got.WriteByte('\n')
				*last = position
			}
			event, data = "", nil
		}
	}
	return false, lines.Err()
}
