package file_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/file"
	"tapedeck/internal/bounded"
	"tapedeck/schema/block"
)

// asFollower has the test's program follow the file that it names, into a
// journal beside it, until it is killed.
const asFollower = "TAPEDECK_TEST_FOLLOW"

func followForEver(path string) {
	out, err := os.OpenFile(path+".journal", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	rec := ingest.NewRecorder(&journal{out: out}, ingest.Settings{BlockFrames: 7})
	_, err = file.Follow(context.Background(), rec, ingest.StreamOptions{Session: "s", Dialect: "generic"}, file.FollowOptions{
		Path: path, StateDir: path + ".state", Poll: 5 * time.Millisecond, Settle: 30 * time.Millisecond,
	})
	panic(err)
}

// journal is a publisher that writes frames to a file, which outlives a killed
// process.
type journal struct {
	mu  sync.Mutex // one block at a time
	out *os.File
}

type entry struct {
	Stream string
	Seq    uint64
	Raw    string
}

func (j *journal) Publish(_ context.Context, p ingest.EncodedBlock, done func(error)) error {
	b, err := block.Decode(p.Data)
	if err != nil {
		return err
	}
	var text []byte
	for _, f := range b.Frames {
		line, err := json.Marshal(entry{b.State.StreamID, f.Seq, string(f.Raw)})
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, err = j.out.Write(text)
	go done(err)
	return nil
}

// readJournal returns the frames by their numbers. A frame that comes again must
// be the same.
func readJournal(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var frames []string
	stream := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // the kill came in the midst of it, so it was not reported as durable
		}
		switch {
		case stream != "" && e.Stream != stream:
			t.Fatalf("a second stream %s", e.Stream)
		case e.Seq < uint64(len(frames)) && frames[e.Seq] != e.Raw:
			t.Fatalf("frame %d was %q and then %q", e.Seq, frames[e.Seq], e.Raw)
		case e.Seq > uint64(len(frames)):
			t.Fatalf("after frame %d came %d", len(frames)-1, e.Seq)
		case e.Seq == uint64(len(frames)):
			frames = append(frames, e.Raw)
		}
		stream = e.Stream
	}
	return frames
}

// TestKilled: a follower that is killed at any moment, while the file grows and
// is rotated, leaves nothing out, and what it repeats keeps its number.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.jsonl")
	var want []string
	line := func(i int) {
		text := fmt.Sprintf("{\"n\":%d,\"text\":%q}\n", i, strings.Repeat("x", rand.IntN(100)))
		want = append(want, text)
		w, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if _, err := w.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	kills := 0
	for deadline := time.Now().Add(4 * time.Second); time.Now().Before(deadline); kills++ {
		kill := startFollower(t, path)
		life := time.Duration(rand.IntN(400)) * time.Millisecond
		for until := time.Now().Add(life); time.Now().Before(until); n++ {
			line(n)
			time.Sleep(time.Duration(rand.IntN(5)) * time.Millisecond) // a random gap between two writes
		}
		kill()
		if kills%3 == 0 && len(readJournal(t, path+".journal")) > 0 {
			// Once between two lives: a file that came and went unseen would
			// be out of reach.
			if err := os.Rename(path, fmt.Sprintf("%s.%d", path, kills)); err != nil {
				t.Fatal(err)
			}
			line(n)
			n++
			followFor(t, path, want)
		}
	}
	followFor(t, path, want)
	t.Logf("%d lines, killed %d times", len(want), kills)
}

// startFollower starts a process that follows, and returns the way to kill it.
func startFollower(t *testing.T, path string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asFollower+"="+path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = bounded.Command(t, cmd)
	})
	t.Cleanup(kill) // also if the test fails before
	return kill
}

// followFor follows until all is in the journal, and kills the follower then.
func followFor(t *testing.T, path string, want []string) {
	t.Helper()
	kill := startFollower(t, path)
	defer kill()
	for deadline := time.Now().Add(bounded.Limit); len(readJournal(t, path+".journal")) < len(want); time.Sleep(5 * time.Millisecond) { // polls the condition
		if time.Now().After(deadline) {
			break
		}
	}
	got := readJournal(t, path+".journal")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("from frame %d on %.200q, want %.200q", i, got[min(i, len(got)):], want[min(i, len(want)):])
		}
	}
}
