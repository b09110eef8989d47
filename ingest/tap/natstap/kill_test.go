package natstap

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// asRecorder has the test's program record the stream AGENTS of the server that it names until
// it is killed.
const asRecorder = "TAPEDECK_TEST_NATSTAP"

func TestMain(m *testing.M) {
	if servers := os.Getenv(asRecorder); servers != "" {
		recordForEver(servers)
	}
	localtest.Main(m)
}

func recordForEver(servers string) {
	out, err := os.OpenFile(os.Args[1], os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	rec := ingest.NewRecorder(&written{out: out}, ingest.Settings{BlockFrames: 7})
	_, err = Record(context.Background(), rec, ingest.StreamOptions{Dialect: "generic"}, Options{
		Servers: servers, Stream: "AGENTS", Consumer: os.Args[2], StateDir: os.Args[1] + ".state",
	})
	panic(err)
}

// written is a publisher that writes blocks to a file, which outlives a killed process.
type written struct {
	mu  sync.Mutex
	out *os.File
}

func (w *written) Publish(_ context.Context, p ingest.EncodedBlock, done func(error)) error {
	line, err := json.Marshal(p.Data)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = w.out.Write(append(line, '\n'))
	go done(err)
	return nil
}

// blocks reads what the recorder wrote.
func blocks(t *testing.T, path string) []*block.Block {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var list []*block.Block
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return list
		}
		var data []byte
		if json.Unmarshal(line, &data) != nil {
			continue // the process was killed while it wrote this one, so it was not durable
		}
		b, err := block.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
}

type identity struct {
	stream string
	seq    uint64
}

// check compares what was recorded with the messages 0 to n-1: each must be one frame, and the
// states of the streams must count as many. It reports how many messages are there.
func check(t *testing.T, list []*block.Block, n int, counts bool) int {
	t.Helper()
	frames := map[identity]string{}
	states := map[string]schema.StreamState{}
	for _, b := range list {
		for i := range b.Frames {
			f := &b.Frames[i]
			if f.Flags.Has(schema.FlagNote) {
				continue
			}
			_, data := schema.CutNATS(f.Raw)
			id := identity{b.State.StreamID, f.Seq}
			if before, ok := frames[id]; ok && before != string(data) {
				t.Fatalf("frame %v is %s, and was %s", id, data, before)
			}
			frames[id] = string(data)
		}
		segment := fmt.Sprint(b.Session, " ", b.State.StreamID, " ", b.State.FirstSeq)
		if b.State.Version >= states[segment].Version {
			states[segment] = b.State
		}
	}
	seen := map[string]identity{}
	for id, data := range frames {
		if other, ok := seen[data]; ok {
			t.Fatalf("%s is frame %v and frame %v", data, id, other)
		}
		seen[data] = id
	}
	there := 0
	for i := range n {
		if _, ok := seen[text(i)]; ok {
			there++
		}
	}
	if len(seen) > there {
		t.Fatalf("%d frames of %d messages", len(seen), there)
	}
	sum := uint64(0)
	for _, st := range states {
		sum += st.Frames
	}
	if counts && there == n && sum != uint64(n) {
		t.Errorf("the states count %d frames, want %d", sum, n)
	}
	return there
}

// A recorder that is killed again and again records each message once, read by its own position,
// and by a durable consumer of a stream that keeps messages and of one that removes them when
// they are acknowledged.
func TestKilled(t *testing.T) {
	for _, c := range []struct {
		name, consumer string
		retention      jetstream.RetentionPolicy
	}{
		{"position", "", jetstream.LimitsPolicy},
		{"consumer", "tapedeck", jetstream.LimitsPolicy},
		{"work queue", "tapedeck", jetstream.WorkQueuePolicy},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := natsServer(t, nil)
			_, js := client(t, s)
			stream := agents(t, js, c.retention)
			if c.consumer != "" { // a short wait, so that messages come again within the test
				_, err := stream.CreateConsumer(t.Context(), jetstream.ConsumerConfig{
					Durable: c.consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: 300 * time.Millisecond, MaxAckPending: 500,
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			const n, rounds = 2000, 4
			out := filepath.Join(t.TempDir(), "blocks")
			for round := range rounds {
				publish(t, js, round*n/rounds, (round+1)*n/rounds, 5)
				before := len(blocks(t, out))
				kill := recorder(t, s.ClientURL(), out, c.consumer)
				bounded.Until(t, "something to be recorded", func() bool { return len(blocks(t, out)) > before+rand.IntN(40) })
				kill()
				check(t, blocks(t, out), n, false)
			}
			kill := recorder(t, s.ClientURL(), out, c.consumer)
			bounded.Until(t, "all to be recorded", func() bool { return check(t, blocks(t, out), n, false) == n })
			if c.consumer != "" {
				bounded.Until(t, "all to be acknowledged", func() bool {
					consumer, err := stream.Consumer(t.Context(), c.consumer)
					return err == nil && consumer.CachedInfo().NumAckPending == 0 && consumer.CachedInfo().NumPending == 0
				})
			}
			kill()
			check(t, blocks(t, out), n, c.retention == jetstream.LimitsPolicy && c.consumer == "")
		})
	}
}

// recorder starts a recorder, and returns a function that kills it.
func recorder(t *testing.T, servers, out, consumer string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], out, consumer)
	cmd.Env = append(os.Environ(), asRecorder+"="+servers)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if said.Len() > 0 {
			t.Errorf("the recorder said %s", said.String())
		}
	}
}
