package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
)

// The ack watermark never passes a frame that was not confirmed, and reaches the end.
func TestDurable(t *testing.T) {
	held := &holding{}
	var mu sync.Mutex
	var reported []uint64
	s := open(t, held, ingest.Settings{BlockFrames: 10}, ingest.StreamOptions{Dialect: "generic", Durable: func(next uint64) {
		mu.Lock()
		defer mu.Unlock()
		reported = append(reported, next)
	}})
	for i := range 100 {
		if err := s.Record(t.Context(), line1(fmt.Sprintf(`{"session_id":"s%d"}`, i%2), int64(i))); err != nil {
			t.Fatal(err)
		}
	}
	closed := make(chan error, 1)
	go func() {
		_, err := s.Close(context.Background(), "eof")
		closed <- err
	}()
	held.waitFor(t, 12) // ten full blocks, and the end of either session
	confirmed := map[uint64]bool{}
	for _, i := range []int{3, 1, 0, 2, 5, 4, 11, 10, 9, 8, 7, 6} {
		for _, seq := range held.confirm(i) {
			confirmed[seq] = true
		}
		mu.Lock()
		if len(reported) > 0 {
			for seq := range reported[len(reported)-1] {
				if !confirmed[seq] {
					t.Fatalf("%d frames are reported durable, but %d was not confirmed", reported[len(reported)-1], seq)
				}
			}
		}
		mu.Unlock()
	}
	if err := bounded.Receive(t, closed); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(reported) || reported[len(reported)-1] != 100 {
		t.Errorf("reported %v: it must rise to 100", reported)
	}
}

func TestAbandonedBlocksFailTheStream(t *testing.T) {
	gone := errors.New("the disk is full")
	mem := &ingesttest.Memory{}
	mem.Abandon(gone)
	s := open(t, mem, ingest.Settings{}, ingest.StreamOptions{Session: "s", Dialect: "generic"})
	if err := s.Record(t.Context(), line1("{}", 0)); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); !errors.Is(err, gone) {
		t.Errorf("Flush: %v, want %v", err, gone)
	}
	if err := s.Record(t.Context(), line1("{}", 0)); !errors.Is(err, gone) {
		t.Errorf("Record after a lost block: %v, want %v", err, gone)
	}
	if _, err := s.Close(t.Context(), "eof"); !errors.Is(err, gone) {
		t.Errorf("Close: %v, want %v", err, gone)
	}
	bounded.Wait(t, mem.Wait)
}

// A publisher that exerts backpressure for long fails nothing: Record returns its context's
// error, the frame was not taken, and all that was taken is published in the end.
func TestBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := &ingesttest.Memory{}
		s := open(t, mem, ingest.Settings{BlockFrames: 4}, ingest.StreamOptions{Session: "s", Dialect: "generic"})
		mem.Stall()
		taken := 0
		for range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			err := s.Record(ctx, line1(fmt.Sprintf(`{"n":%d}`, taken), int64(taken)))
			cancel()
			if err == nil {
				taken++
			} else if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second) // virtual time: the gap between two frames
		}
		if taken == 0 || taken == 20 {
			t.Fatalf("%d of 20 frames were taken while the publisher stood still", taken)
		}
		mem.Resume()
		sum, err := s.Close(t.Context(), "eof")
		if err != nil {
			t.Fatal(err)
		}
		mem.Wait()
		frames := mem.Frames(sum.StreamID)
		if len(frames) != taken || sum.Frames != uint64(taken) {
			t.Fatalf("%d frames came out, the summary has %d, %d were taken", len(frames), sum.Frames, taken)
		}
		for i, f := range frames {
			if want := fmt.Sprintf("{\"n\":%d}\n", i); string(f.Raw) != want {
				t.Errorf("frame %d is %q, want %q", i, f.Raw, want)
			}
		}
	})
}

// A stream that goes on after a restart keeps the session and the dialect that
// its first frames had settled.
func TestResume(t *testing.T) {
	mem := &ingesttest.Memory{}
	t.Cleanup(mem.Wait)
	s := open(t, mem, ingest.Settings{}, ingest.StreamOptions{})
	for i, l := range []string{`{"session_id":"a","event_id":1,"type":"run_start","run_id":"r"}`, `{"type":"node_enter","id":"think"}`} {
		if err := s.Record(t.Context(), line1(l, int64(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := open(t, mem, ingest.Settings{}, ingest.StreamOptions{Resume: &ingest.Resume{
		StreamID: s.ID(), NextSeq: 1, Settled: s.Settled(),
	}})
	if err := again.Record(t.Context(), line1(`{"type":"node_exit","id":"think","result":"Ok"}`, 5)); err != nil {
		t.Fatal(err)
	}
	sum, err := again.Close(t.Context(), "eof")
	if err != nil {
		t.Fatal(err)
	}
	if sum.StreamID != s.ID() || sum.Dialect != "loom" || !slices.Equal(sum.Sessions, []string{"a"}) {
		t.Errorf("went on as %+v, want stream %s in session a, loom", sum, s.ID())
	}
	if frames := mem.Frames(s.ID()); len(frames) != 2 || !strings.Contains(string(frames[1].Raw), "node_exit") {
		t.Errorf("frames %v: the frame recorded again must stand in place of the first", frames)
	}
	if _, err := s.Close(t.Context(), "closed"); err != nil {
		t.Fatal(err)
	}
}

// Buffered frames do not count as durable before their block is.
func TestBufferedFramesAreNotDurable(t *testing.T) {
	held := &holding{}
	var mu sync.Mutex
	var reported uint64
	s := open(t, held, ingest.Settings{BlockBytes: 32 << 10, BlockAge: time.Hour}, ingest.StreamOptions{Durable: func(next uint64) {
		mu.Lock()
		defer mu.Unlock()
		reported = next
	}})
	for i := range 256 {
		line := fmt.Sprintf(`{"n":%d,"x":"%s"}`, i, strings.Repeat("x", 700))
		if err := s.Record(t.Context(), line1(line, int64(i))); err != nil {
			t.Fatal(err)
		}
	}
	held.waitFor(t, 5)
	confirmed := uint64(len(held.confirm(0)))
	mu.Lock()
	if reported > confirmed || reported == 0 {
		t.Errorf("%d frames are reported durable, %d were confirmed", reported, confirmed)
	}
	mu.Unlock()
}

// A growing message is published now and then; its frames do not wait for that.
func TestFramesOfAGrowingMessageDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := &ingesttest.Memory{}
		const age = 5 * time.Millisecond
		s := open(t, mem, ingest.Settings{BlockAge: age}, ingest.StreamOptions{Dialect: "loom", Session: "s"})
		recorded := 0
		for range 300 {
			line := fmt.Sprintf(`{"session_id":"s","node_id":"n","event_id":%d,"type":"message_chunk","content":" word","id":"think"}`, recorded+1)
			if err := s.Record(t.Context(), line1(line, int64(recorded)*1e6)); err != nil {
				t.Fatal(err)
			}
			recorded++
			time.Sleep(time.Millisecond) // virtual time: the gap between two frames
			synctest.Wait()
			if waiting := recorded - len(mem.Frames(s.ID())); waiting > 6 {
				t.Fatalf("after %d frames, one each millisecond, %d wait; blocks are to be cut after %v", recorded, waiting, age)
			}
		}
		if _, err := s.Close(t.Context(), "eof"); err != nil {
			t.Fatal(err)
		}
		mem.Wait()
	})
}

// What a message grew by is published a second later, also if nothing follows.
func TestEndOfAGrowingMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := &ingesttest.Memory{}
		s := open(t, mem, ingest.Settings{BlockAge: 5 * time.Millisecond}, ingest.StreamOptions{Dialect: "loom", Session: "s"})
		want := ""
		for n := range 10 {
			word := fmt.Sprintf(" %d", n)
			line := fmt.Sprintf(`{"session_id":"s","node_id":"n","event_id":%d,"type":"message_chunk","content":%q,"id":"think"}`, n+1, word)
			if err := s.Record(t.Context(), line1(line, int64(n)*10e6)); err != nil {
				t.Fatal(err)
			}
			want += word
			time.Sleep(10 * time.Millisecond) // virtual time: the gap between two frames
		}
		time.Sleep(1100 * time.Millisecond) // virtual time: longer than deferFor
		synctest.Wait()
		reported := ""
		for _, b := range mem.Blocks() {
			for _, m := range b.Facts.Messages {
				reported = m.Text
			}
		}
		if reported != want {
			t.Errorf("published %q, want %q", reported, want)
		}
		blocks := len(mem.Blocks())
		time.Sleep(time.Minute) // virtual time: nothing may happen in it
		if more := len(mem.Blocks()) - blocks; more != 0 {
			t.Errorf("%d blocks while nothing came", more)
		}
		if _, err := s.Close(t.Context(), "eof"); err != nil {
			t.Fatal(err)
		}
		mem.Wait()
	})
}

// A pause of milliseconds, as of a publisher that holds back, does not publish messages that were
// deferred: a second without a frame does.
func TestPauseIsNotTheEndOfAMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := &ingesttest.Memory{}
		s := open(t, mem, ingest.Settings{BlockAge: 5 * time.Millisecond, BlockBytes: 64 << 10}, ingest.StreamOptions{Dialect: "loom", Session: "s"})
		text := strings.Repeat("x", 4000)
		states := func() (n int) {
			for _, b := range mem.Blocks() {
				n += len(b.Facts.Messages)
			}
			return n
		}
		for n := 0; len(mem.Blocks()) == 0; n++ { // the last frame fills a block, while a tick is due for the frames before it
			line := fmt.Sprintf(`{"session_id":"s","node_id":"n","event_id":%d,"type":"message_chunk","content":%q,"id":"think"}`, n+1, text)
			if err := s.Record(t.Context(), line1(line, int64(n)*1e6)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		time.Sleep(300 * time.Millisecond) // virtual time: many times BlockAge
		synctest.Wait()
		if got := states(); got != 0 {
			t.Errorf("%d states of the message after 0.3 s without a frame", got)
		}
		time.Sleep(time.Second) // virtual time: now it is quiet
		synctest.Wait()
		if got := states(); got != 1 {
			t.Errorf("%d states of the message after a second without a frame", got)
		}
		if _, err := s.Close(t.Context(), "eof"); err != nil {
			t.Fatal(err)
		}
		mem.Wait()
	})
}
