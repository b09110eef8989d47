package torture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/sink"
	"tapedeck/schema"
	"tapedeck/schema/clickhouse"
)

// raw returns a session's bytes as the API returns them; nil for a session that is
// not there.
func (c *cluster) raw(ctx context.Context, session string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.apiURL+"/v1/sessions/"+session+"/frames?raw=1", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/x-ndjson")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode == http.StatusNotFound {
		return nil, nil
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s: %s", req.URL, resp.Status, body)
	}
	return body, err
}

// missing reports what of a session cannot be read yet, "" if all is there.
func (c *cluster) missing(ctx context.Context, r *recorded) string {
	got, err := c.raw(ctx, r.id)
	if err != nil {
		return err.Error()
	}
	if n := bytes.Count(got, []byte("\n")); n < r.acked && r.how != "WebSocket" {
		return fmt.Sprintf("%s by %s: %d of %d acknowledged frames", r.id, r.how, n, r.acked)
	}
	return ""
}

// settleTimeout bounds how long all that was accepted takes to be readable.
const settleTimeout = 60 * time.Second

// settle polls until nothing is in flight any more, and fails after settleTimeout.
func (c *cluster) settle(ctx context.Context) error {
	why := ""
	quiet := 0
	for end := time.Now().Add(settleTimeout); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) { // polls the condition
		if why = c.underWay(ctx); why != "" {
			quiet = 0
			continue
		}
		if quiet++; quiet >= 3 {
			return nil
		}
	}
	return fmt.Errorf("still under way after %v: %s\n%s", settleTimeout, why, c.logs())
}

func (c *cluster) underWay(ctx context.Context) (why string) {
	if why = c.notReady(); why != "" {
		return why
	}
	if resp, err := http.Get(c.ingestURL + "/readyz"); err == nil {
		body, _ := io.ReadAll(resp.Body) // the report has it
		resp.Body.Close()
		if !bytes.Contains(body, []byte(`"blocks":0`)) {
			return "the spool is not empty: " + string(body)
		}
	}
	err := c.jetStream(ctx, func(js njs.JetStream) error {
		s, err := js.Stream(ctx, jetstream.StreamName)
		if err != nil {
			return err
		}
		consumer, err := s.Consumer(ctx, sink.ConsumerName)
		if err != nil {
			return err
		}
		info := consumer.CachedInfo()
		if drained, err := jetstream.Drained(ctx, s, info, s.CachedInfo().State.LastSeq); err != nil {
			return err
		} else if !drained {
			return fmt.Errorf("%d blocks pending, %d being stored", info.NumPending, info.NumAckPending)
		}
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return ""
}

// travelled counts the messages that JetStream still has, and the bundles among them.
func (c *cluster) travelled(ctx context.Context) (messages, bundles uint64, err error) {
	err = c.jetStream(ctx, func(js njs.JetStream) error {
		s, err := js.Stream(ctx, jetstream.StreamName)
		if err != nil {
			return err
		}
		info, err := s.Info(ctx, njs.WithSubjectFilter(ingest.SubjectPrefix+"*.bundle.*"))
		if err != nil {
			return err
		}
		messages = info.State.Msgs
		for _, n := range info.State.Subjects {
			bundles += n
		}
		return nil
	})
	return messages, bundles, err
}

// checkAll holds sessions against what a reader sees. It returns how many of their frames
// are there.
func (c *cluster) checkAll(ctx context.Context, sessions []*recorded) (read int, err error) {
	stored, err := c.facts(ctx, sessions)
	if err != nil {
		return 0, err
	}
	var all errgroup.Group
	all.SetLimit(checkers)
	var n atomic.Int64
	for _, r := range sessions {
		all.Go(func() error {
			frames, err := c.check(ctx, r, stored[r.id])
			n.Add(int64(frames))
			return err
		})
	}
	err = all.Wait()
	return int(n.Load()), err
}

// checkers is how many sessions are checked at a time.
const checkers = 4

// check compares one session and its stored facts with the sent frames. It returns how many
// of its frames are there.
func (c *cluster) check(ctx context.Context, r *recorded, stored []string) (int, error) {
	got, err := c.raw(ctx, r.id)
	if err != nil {
		return 0, err
	}
	sent := append(bytes.Join(r.frames, []byte("\n")), '\n')
	if r.how == "WebSocket" {
		sent = bytes.Join(r.frames, nil)
		got = bytes.ReplaceAll(got, []byte("\n"), nil)
	}
	if !bytes.HasPrefix(sent, got) {
		return 0, fmt.Errorf("%s by %s is not as it was sent: %s", r.id, r.how, firstDifference(sent, got))
	}
	frames := r.cut(got)
	n := len(frames)
	if n > 0 && !r.ended(frames[n-1]) {
		n-- // it broke off in the middle of one
	}
	if n < r.acked || r.whole && n != len(r.frames) {
		return n, fmt.Errorf("%s by %s: %d of %d frames are there, %d were acknowledged (whole %t) %s",
			r.id, r.how, n, len(r.frames), r.acked, r.whole, r.why)
	}
	if len(frames) == 0 {
		return 0, nil
	}
	return n, checkFacts(ctx, r, frames, stored)
}

// cut splits the text that was read back into frames.
func (r *recorded) cut(got []byte) [][]byte {
	if r.how != "WebSocket" {
		return slices.Collect(bytes.Lines(got))
	}
	var frames [][]byte
	for length := 0; length < len(got); {
		f := r.frames[len(frames)]
		frames = append(frames, f)
		length += len(f)
	}
	return frames
}

// ended reports whether a frame is whole.
func (r *recorded) ended(frame []byte) bool {
	return r.how == "WebSocket" || bytes.HasSuffix(frame, []byte("\n"))
}

func firstDifference(want, got []byte) string {
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	end := func(b []byte) []byte { return b[max(0, min(i-40, len(b))):min(i+80, len(b))] }
	return fmt.Sprintf("from byte %d of %d (of %d sent) on\n  sent %q\n  got  %q", i, len(got), len(want), end(want), end(got))
}

// checkFacts compares the stored facts of a session with the facts of its frames
// when nothing happens.
func checkFacts(ctx context.Context, r *recorded, frames [][]byte, got []string) error {
	var diff string
	for _, ended := range []bool{true, false} { // a stream that broke off may have been closed, or not
		want, err := expected(ctx, r, frames, ended)
		if err != nil {
			return err
		}
		if !r.whole {
			want = behind(want, got)
		}
		if diff = cmp.Diff(want, got); diff == "" {
			return nil
		}
		if r.whole {
			break
		}
	}
	return fmt.Errorf("%s by %s: facts of %d frames (-undisturbed +stored):\n%s", r.id, r.how, len(frames), diff)
}

// behind cuts the growing messages that are wanted to what was published of them. A
// tap publishes a growing message once a second only: if it is killed,
// its last words are behind the frames, which redecode mends.
func behind(want, got []string) []string {
	want = slices.Clone(want)
	for i, w := range want {
		for _, g := range got {
			if strings.HasPrefix(w, "message ") && strings.HasPrefix(w, g) && !slices.Contains(want, g) {
				want[i] = g
			}
		}
	}
	slices.Sort(want)
	return want
}

// facts returns the stored facts of sessions, by session, without times and ids,
// in order.
func (c *cluster) facts(ctx context.Context, sessions []*recorded) (map[string][]string, error) {
	db, err := clickhouse.Open(c.engine.DSN())
	if err != nil {
		return nil, err
	}
	defer db.Close()
	ids := make([]string, len(sessions))
	for i, r := range sessions {
		ids[i] = r.id
	}
	facts := make(map[string][]string, len(sessions))
	for _, q := range []string{
		"SELECT session_id, concat('span ', kind, ' ', name, ' ', status, ' ', call_id, ' ', error) FROM spans FINAL WHERE has(?, session_id)",
		"SELECT session_id, concat('message ', kind, ' ', name, ' ', text) FROM messages FINAL WHERE has(?, session_id)",
		"SELECT session_id, concat('usage ', toString(input), ' ', toString(output), ' ', toString(total)) FROM usage FINAL WHERE has(?, session_id)",
	} {
		rows, err := db.Query(ctx, q, ids)
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			var session, text string
			if err := rows.Scan(&session, &text); err != nil {
				return nil, errors.Join(err, rows.Close())
			}
			facts[session] = append(facts[session], text)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, err
		}
	}
	for _, of := range facts {
		slices.Sort(of)
	}
	return facts, nil
}

// expected returns the facts of frames, recorded undisturbed.
func expected(ctx context.Context, r *recorded, frames [][]byte, ended bool) ([]string, error) {
	memory := &ingesttest.Memory{}
	transport := schema.NDJSON
	if r.how == "WebSocket" {
		transport = schema.WebSocket
	}
	s, err := ingest.NewRecorder(memory, ingest.Settings{}).Open(ingest.StreamOptions{Transport: transport})
	if err != nil {
		return nil, err
	}
	for _, f := range frames {
		frame := &schema.Frame{At: ingest.Now(), Transport: transport, Raw: f}
		if err := s.Record(ctx, frame); err != nil {
			return nil, err
		}
	}
	if err := s.Flush(ctx); err != nil {
		return nil, err
	}
	blocks := memory.Blocks()
	if _, err := s.Close(ctx, "eof"); err != nil {
		return nil, err
	}
	if ended {
		memory.Wait()
		blocks = memory.Blocks()
	}
	type key struct {
		kind, id string
		seq      uint64
	}
	latest := map[key]string{}
	for _, b := range blocks { // in order: the later one counts
		for _, f := range b.Facts.Spans {
			latest[key{"span", f.ID, f.SeenSeq}] = strings.Join([]string{"span", string(f.Kind), f.Name, string(f.Status), f.CallID, f.Error}, " ")
		}
		for _, f := range b.Facts.Messages {
			latest[key{"message", f.ID, f.SeenSeq}] = strings.Join([]string{"message", string(f.Kind), f.Name, f.Text}, " ")
		}
		for _, f := range b.Facts.Usages {
			latest[key{"usage", f.ID, f.SeenSeq}] = fmt.Sprint("usage ", f.Tokens.Input, " ", f.Tokens.Output, " ", f.Total)
		}
	}
	facts := make([]string, 0, len(latest))
	for _, text := range latest {
		facts = append(facts, text)
	}
	slices.Sort(facts)
	return facts, nil
}
