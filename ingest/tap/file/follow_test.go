package file_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/tap/file"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

// followed is a file and who follows it.
type followed struct {
	t    *testing.T
	mem  *ingesttest.Memory
	path string
	opts file.FollowOptions
	set  ingest.Settings
	stop func() (ingest.Summary, error)
	// failure waits until the recording has ended by itself, and returns why; stop is
	// called after it all the same.
	failure func() error
}

func newFollowed(t *testing.T) *followed {
	dir := t.TempDir()
	path := filepath.Join(dir, "agent.jsonl")
	return &followed{t: t, mem: &ingesttest.Memory{}, path: path, opts: file.FollowOptions{
		Path: path, StateDir: filepath.Join(dir, "state"), Poll: 10 * time.Millisecond, Settle: 50 * time.Millisecond,
	}}
}

func (f *followed) start() {
	ctx, cancel := context.WithCancel(f.t.Context())
	type result struct {
		sum ingest.Summary
		err error
	}
	done := make(chan result, 1)
	go func() {
		rec := ingest.NewRecorder(f.mem, f.set)
		sum, err := file.Follow(ctx, rec, ingest.StreamOptions{Session: "s", Dialect: "generic"}, f.opts)
		done <- result{sum, err}
	}()
	f.failure = func() error {
		select {
		case r := <-done:
			done <- r
			return r.err
		case <-time.After(bounded.Limit):
			return errors.New("it goes on")
		}
	}
	f.stop = func() (ingest.Summary, error) {
		cancel()
		r := bounded.Receive(f.t, done)
		bounded.Wait(f.t, f.mem.Wait)
		return r.sum, r.err
	}
}

func (f *followed) mustStop() ingest.Summary {
	f.t.Helper()
	sum, err := f.stop()
	if err != nil {
		f.t.Fatal(err)
	}
	return sum
}

func (f *followed) add(text string) {
	f.t.Helper()
	w, err := os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		_, err = w.WriteString(text)
		w.Close()
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// expect waits until these frames are recorded, and no others.
func (f *followed) expect(want ...string) {
	f.t.Helper()
	for deadline := time.Now().Add(bounded.Limit); len(all(f.mem)) < len(want); time.Sleep(time.Millisecond) { // polls the condition
		if time.Now().After(deadline) {
			break
		}
	}
	got := all(f.mem)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			f.t.Fatalf("from frame %d on recorded %.300q, want %.300q", i, got[min(i, len(got)):], want[min(i, len(want)):])
		}
	}
	if ids := f.mem.Streams(); len(ids) != 1 {
		f.t.Fatalf("%d streams, want one", len(ids))
	}
}

func (f *followed) rename(to string) {
	f.t.Helper()
	if err := os.Rename(f.path, f.path+to); err != nil {
		f.t.Fatal(err)
	}
}

func TestFollowGrowth(t *testing.T) {
	f := newFollowed(t)
	f.start()                         // the file is not there yet
	time.Sleep(30 * time.Millisecond) // it has looked for the file: that it found none cannot be seen from outside
	f.add("1\n")
	f.expect("1\n")
	f.add("2\n3")
	f.expect("1\n", "2\n")
	time.Sleep(100 * time.Millisecond) // nothing is recorded meanwhile, since the line has no end
	f.expect("1\n", "2\n")
	f.add("3\n")
	f.expect("1\n", "2\n", "33\n")
	if sum := f.mustStop(); sum.Frames != 3 {
		t.Errorf("%+v", sum)
	}
	frames := f.mem.Frames(f.mem.Streams()[0])
	if len(frames[2].Cuts) != 1 || frames[2].At-frames[2].Cuts[0].At < int64(90*time.Millisecond) {
		t.Errorf("the line that came in two parts: %+v", frames[2])
	}
}

func TestFollowEvents(t *testing.T) {
	f := newFollowed(t)
	f.start()
	f.add("\n")
	f.add("event: x\nda")
	f.add("ta: 1\n")
	f.add("\n: hi\n\n")
	f.expect("\n", "event: x\ndata: 1\n\n", ": hi\n\n")
	f.mustStop()
	if f.mem.Blocks()[0].State.Transport != schema.SSE {
		t.Error("not recorded as SSE")
	}
}

func TestFollowRotation(t *testing.T) {
	f := newFollowed(t)
	f.opts.Settle = 5 * time.Second
	f.add("1\n")
	f.start()
	f.expect("1\n")
	old, err := os.OpenFile(f.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	f.rename(".1")
	f.add("3\n")
	if _, err := old.WriteString("2\nand a last line that is cut"); err != nil { // the writer has not turned yet
		t.Fatal(err)
	}
	f.expect("1\n", "2\n", "and a last line that is cut", "3\n")
	f.rename(".2")
	f.add("4\n")
	time.Sleep(500 * time.Millisecond) // the follower is between two looks; each of the orders that may follow is right
	f.rename(".3")                     // the file between is replaced before it was its turn
	f.add("5\n")
	f.add("6\n")
	f.expect("1\n", "2\n", "and a last line that is cut", "3\n", "4\n", "5\n", "6\n")
	f.mustStop()
	if frames := f.mem.Frames(f.mem.Streams()[0]); !frames[2].Flags.Has(schema.FlagUnterminated) {
		t.Errorf("the cut line is marked %s", frames[2].Flags)
	}
}

func TestFollowEmptied(t *testing.T) {
	for name, opts := range map[string]func(*file.FollowOptions){
		"notices":  func(o *file.FollowOptions) { o.Poll = time.Minute },
		"by clock": func(o *file.FollowOptions) {},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFollowed(t)
			opts(&f.opts)
			f.add("1\n2\n3")
			f.start()
			f.expect("1\n", "2\n")
			if err := os.Truncate(f.path, 0); err != nil {
				t.Fatal(err)
			}
			f.expect("1\n", "2\n", "3")
			f.add("4\n")
			f.expect("1\n", "2\n", "3", "4\n")
			// Emptied and grown beyond what was read, before anybody looks.
			write(t, f.path, "another\nbeginning\n")
			f.expect("1\n", "2\n", "3", "4\n", "another\n", "beginning\n")
			f.mustStop()
		})
	}
}

func TestFollowLink(t *testing.T) {
	f := newFollowed(t)
	target := filepath.Join(t.TempDir(), "target.jsonl")
	write(t, target, "1\n")
	if err := os.Symlink(target, f.path); err != nil {
		t.Fatal(err)
	}
	f.opts.Poll = time.Minute // so by the notices of the other directory
	f.start()
	f.expect("1\n")
	f.add("2\n")
	f.expect("1\n", "2\n")
	f.mustStop()
}

// TestFollowRestart: the next Follow goes on in the same stream, without loss
// and without repeat, whatever happened to the file meanwhile.
func TestFollowRestart(t *testing.T) {
	for name, meanwhile := range map[string]struct {
		do   func(f *followed)
		want []string // after "1\n", "2\n"
	}{
		"nothing":             {func(f *followed) { f.add("3\n4\n") }, []string{"33\n", "4\n"}},
		"renamed":             {func(f *followed) { f.add("3\n"); f.rename(".1"); f.add("4\n") }, []string{"33\n", "4\n"}},
		"renamed, cut line":   {func(f *followed) { f.rename(".1"); f.add("4\n") }, []string{"3", "4\n"}},
		"emptied":             {func(f *followed) { write(f.t, f.path, "4\n") }, []string{"4\n"}},
		"emptied and grown":   {func(f *followed) { write(f.t, f.path, "4\n5\n6\n7\n") }, []string{"4\n", "5\n", "6\n", "7\n"}},
		"removed, new inode":  {func(f *followed) { os.Remove(f.path); f.add("4\n") }, []string{"4\n"}},
		"removed, not there":  {func(f *followed) { os.Remove(f.path) }, nil},
		"same name, old file": {func(f *followed) { f.rename(".1"); f.add("4\n") }, []string{"3", "4\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFollowed(t)
			f.add("1\n2\n3")
			f.start()
			f.expect("1\n", "2\n")
			f.mustStop()
			f.expect("1\n", "2\n")
			blocks := len(f.mem.Blocks())
			meanwhile.do(f)
			f.start()
			want := append([]string{"1\n", "2\n"}, meanwhile.want...)
			f.expect(want...)
			f.add("last\n")
			f.expect(append(want, "last\n")...)
			f.mustStop()
			for _, b := range f.mem.Blocks()[blocks:] {
				for _, frame := range b.Frames {
					if frame.Seq < 2 {
						t.Errorf("frame %d was recorded again", frame.Seq)
					}
				}
			}
		})
	}
}

// TestFollowCrash: from a checkpoint that is older than what was recorded, the
// same frames come under the same numbers.
func TestFollowCrash(t *testing.T) {
	f := newFollowed(t)
	f.add("1\n2\n")
	f.start()
	f.expect("1\n", "2\n")
	f.mustStop()
	checkpoints, err := filepath.Glob(filepath.Join(f.opts.StateDir, "*.json"))
	if err != nil || len(checkpoints) != 1 {
		t.Fatalf("checkpoints %q %v", checkpoints, err)
	}
	old, err := os.ReadFile(checkpoints[0])
	if err != nil {
		t.Fatal(err)
	}
	f.add("3\n4\n")
	f.start()
	f.expect("1\n", "2\n", "3\n", "4\n")
	f.mustStop()
	write(t, checkpoints[0], string(old)) // as if the process had been killed before the later one
	f.rename(".1")
	f.add("5\n")
	f.start()
	f.expect("1\n", "2\n", "3\n", "4\n", "5\n")
	f.mustStop()
	f.expect("1\n", "2\n", "3\n", "4\n", "5\n")
}

// TestFollowOnlyDurable: what was not confirmed is not in the checkpoint.
func TestFollowOnlyDurable(t *testing.T) {
	f := newFollowed(t)
	f.add("1\n2\n")
	f.start()
	f.expect("1\n", "2\n")
	bounded.Wait(t, f.mem.Wait)
	fault := errors.New("the disk is full")
	f.mem.Abandon(fault)
	f.add("3\n4\n")
	bounded.Until(t, "a block that is abandoned", func() bool { return f.mem.Abandoned() > 0 })
	if _, err := f.stop(); !errors.Is(err, fault) {
		t.Fatalf("error %v, want the publisher's", err)
	}
	f.mem.Abandon(nil)
	f.start()
	f.expect("1\n", "2\n", "3\n", "4\n")
	f.mustStop()
}

func TestFollowWithoutState(t *testing.T) {
	f := newFollowed(t)
	f.opts.StateDir = ""
	f.add("1\n2")
	f.start()
	f.expect("1\n")
	f.mustStop()
	f.expect("1\n", "2") // nobody will come for the rest
}

func TestFollowTwice(t *testing.T) {
	f := newFollowed(t)
	f.add("1\n")
	f.start()
	f.expect("1\n")
	first := f.stop
	f.start()
	if _, err := f.stop(); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("second follower: %v", err)
	}
	f.stop = first
	f.mustStop()
}

func TestFollowErrors(t *testing.T) {
	f := newFollowed(t)
	f.add("1\n")
	f.start()
	f.expect("1\n")
	f.mustStop()
	checkpoints, _ := filepath.Glob(filepath.Join(f.opts.StateDir, "*.json"))
	write(t, checkpoints[0], "{")
	f.start()
	if _, err := f.stop(); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("damaged checkpoint: %v", err)
	}
	f = newFollowed(t)
	if err := os.Mkdir(f.path, 0o700); err != nil {
		t.Fatal(err)
	}
	f.start()
	_ = f.failure() // stop returns it
	if _, err := f.stop(); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("directory: %v", err)
	}
}

// TestFollowAnything: a writer that appends, renames and empties at random, and
// a follower that is restarted at random: every line once, in order.
func TestFollowAnything(t *testing.T) {
	f := newFollowed(t)
	f.set = ingest.Settings{BlockFrames: 3}
	f.opts.Settle = 20 * time.Millisecond
	f.start()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	want := []string{"{}\n"} // shows that these are lines
	f.add(want[0])
	partial := ""
	began := 0 // how many lines came before the current file
	opened := func() bool {
		if len(want) > began {
			for deadline := time.Now().Add(bounded.Limit); len(all(f.mem)) <= began; time.Sleep(time.Millisecond) { // polls the condition
				if time.Now().After(deadline) {
					f.expect(want[:began+1]...) // fails
				}
			}
		}
		return len(want) > began
	}
	for i := range 600 {
		switch n := random.IntN(100); {
		case n < 2 && opened():
			f.mustStop()
			f.start()
		case n < 6 && opened(): // a file that comes and goes unseen is lost to anybody
			f.rename(fmt.Sprintf(".%d", i))
			if partial != "" {
				want, partial = append(want, partial), ""
			}
			began = len(want)
		case n < 8 && partial == "" && opened():
			f.expect(want...) // so that nothing is lost by emptying
			if err := os.Truncate(f.path, 0); err != nil {
				t.Fatal(err)
			}
			began = len(want)
		case n < 20:
			part := fmt.Sprintf("part %d;", i)
			partial += part
			f.add(part)
		default:
			line := fmt.Sprintf("{\"line\":%d,\"text\":%q}\n", i, strings.Repeat("x", random.IntN(20)))
			want, partial = append(want, partial+line), ""
			f.add(line)
		}
		if random.IntN(4) == 0 {
			time.Sleep(time.Duration(random.IntN(10)) * time.Millisecond) // a random gap between two writes
		}
	}
	f.add("end\n")
	f.expect(append(want, partial+"end\n")...)
	f.mustStop()
}
