package fairness

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fastjson"
)

const (
	frameBytes = 136
	// frameEvery is the mean time between two frames of a small stream. The times vary, so that
	// they do not coincide with those of the sink.
	frameEvery = 100 * time.Millisecond
)

// frame returns a frame of frameBytes that states when it is sent.
func frame(at time.Time) string {
	head := fmt.Sprintf(`{"at":%d,"text":"`, at.UnixNano())
	return head + strings.Repeat("x", frameBytes-len(head)-len("\"}\n")) + "\"}\n"
}

// sentAt returns when a frame was sent.
func sentAt(raw []byte) time.Time {
	v, err := fastjson.ParseBytes(raw)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(0, v.GetInt64("at"))
}

// sendSmall records a small stream until ctx ends.
func (s *server) sendSmall(ctx context.Context, tenant, session string) error {
	body, to := io.Pipe()
	go func() {
		defer to.Close()
		pause(ctx, rand.N(frameEvery))
		for ctx.Err() == nil {
			if _, err := io.WriteString(to, frame(time.Now())); err != nil {
				return // post returns the error
			}
			pause(ctx, frameEvery/2+rand.N(frameEvery))
		}
	}()
	return s.post(tenant, "dialect=generic&session="+session, body)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// follow reads a session while it is recorded and calls read for each frame, until ctx ends.
func (s *server) follow(ctx context.Context, tenant, session string, read func(sent time.Time)) error {
	for {
		r := s.request(http.MethodGet, "/v1/sessions/"+session+"/replay?follow=1&mode=raw&speed=max", tenant, http.NoBody).WithContext(ctx)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return unlessEnded(ctx, err)
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusNotFound { // it has not begun
			pause(ctx, 10*time.Millisecond)
			continue
		}
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("follow %s: %s", session, resp.Status)
		}
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			if raw, is := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); is {
				read(sentAt(raw))
			}
		}
		return unlessEnded(ctx, lines.Err())
	}
}

func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	if err == nil {
		err = errors.New("it ended")
	}
	return err
}

// group runs functions until stop is called, and then waits for them.
type group struct {
	t      *testing.T
	ctx    context.Context
	cancel context.CancelFunc
	all    sync.WaitGroup
}

func newGroup(t *testing.T) *group {
	g := &group{t: t}
	g.ctx, g.cancel = context.WithCancel(t.Context())
	return g
}

func (g *group) run(what string, f func(context.Context) error) {
	g.all.Go(func() {
		if err := f(g.ctx); err != nil {
			g.t.Errorf("%s: %v", what, err)
		}
	})
}

func (g *group) stop() {
	g.cancel()
	g.all.Wait()
}
