package bills

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/internal/local/localtest"
	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/pricing/pricetables"
	"tapedeck/query/querytest"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/tombstone"
)

// world is a server's databases, with a clock that the test sets.
type world struct {
	*testing.T
	db      *querytest.DB
	nats    *nats.Conn
	reader  *query.Reader
	store   *Store
	now     time.Time
	streams int
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, db: querytest.New(t), nats: localtest.NATS(t)}
	w.setUp(w.nats)
	return w
}

func (w *world) setUp(connection *nats.Conn) {
	w.reader = query.NewReader(w.db.Conn, query.WithClock(func() time.Time { return w.now }), query.WithPrices(pricetables.NewStore(w.db.Conn, nil)))
	w.store = NewStore(w.reader, w.db.Conn, KeyValueHeads{NATS: connection}, nil)
}

// prices imports a price file, which all later closes use.
func (w *world) prices(file string) {
	w.Helper()
	if _, _, err := pricetables.NewStore(w.db.Conn, nil).Import(w.Context(), "p.yaml", []byte(file)); err != nil {
		w.Fatal(err)
	}
	w.setUp(w.nats)
}

// at reads a time.
func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

// call makes a call of a model.
func call(id, when, provider, model string, input, output uint64) schema.Usage {
	u := querytest.Used(id, model, 0, schema.Tokens{Input: input, Output: output})
	u.Provider, u.At = provider, at(when).UnixNano()
	return u
}

const opus = "claude-opus-5" // 5 dollars for a million input tokens, 25 for output

// session records a session of one stream, with tags as "customer=c1".
func (w *world) session(id, tags string, usages ...schema.Usage) querytest.Recording {
	w.Helper()
	w.streams++
	r := querytest.Recording{Session: id, Stream: w.streams, Usages: usages, State: schema.StreamState{Tags: map[string]string{}}}
	if tag, value, ok := strings.Cut(tags, "="); ok {
		r.State.Tags[tag] = value
	}
	w.db.Add(r)
	return r
}

func (w *world) delete(session string) {
	w.Helper()
	w.db.Merge()
	if err := w.reader.Deleter().Delete(w.Context(), tombstone.Key{Tenant: querytest.Tenant, Session: session}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) close(account, period string) *Bill {
	w.Helper()
	return w.closeAs(Closing{Tenant: querytest.Tenant, Account: account, Period: period})
}

// closeLeaving closes the first period of an account, which leaves earlier months without a bill.
func (w *world) closeLeaving(account, period string) *Bill {
	w.Helper()
	return w.closeAs(Closing{Tenant: querytest.Tenant, Account: account, Period: period, LeaveEarlier: true})
}

func (w *world) closeAs(q Closing) *Bill {
	w.Helper()
	account, period := q.Account, q.Period
	b, err := w.store.Close(w.Context(), q)
	if err != nil {
		w.Fatalf("close %s of %s: %v", period, account, err)
	}
	return b
}

// refuse closes a period, which must fail with a status and a sentence.
func (w *world) refuse(account, period string, status int, sentence string) {
	w.Helper()
	_, err := w.store.Close(w.Context(), Closing{Tenant: querytest.Tenant, Account: account, Period: period})
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok || p.Status != status || !strings.Contains(p.Detail+" "+p.Hint, sentence) {
		w.Errorf("close %q of %q: %v, expected %d and %q", period, account, err, status, sentence)
	}
}

func (w *world) csv(b *Bill) []byte {
	w.Helper()
	var out bytes.Buffer
	out.Write(Head())
	w.each(b, func(r *Row) { out.Write(r.AppendTo(nil)) })
	return out.Bytes()
}

func (w *world) each(b *Bill, visit func(*Row)) {
	w.Helper()
	err := w.store.Rows(w.Context(), querytest.Tenant, b, 0, 0, func(r *Row) error {
		visit(r)
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
}

// rows writes the rows of a bill for comparison.
func (w *world) rows(b *Bill) string {
	var lines []string
	w.each(b, func(r *Row) { lines = append(lines, rowText(r)) })
	return strings.Join(lines, "\n")
}

func rowText(r *Row) string {
	line := fmt.Sprintf("%s %s %s %s × %s = %s", r.SessionID, r.Model, r.Unit, r.Quantity, or(text(r.Price), "?"), or(text(r.BilledCost), r.Reason))
	if r.Class == Correction {
		line = fmt.Sprintf("%s %s: %s", r.Period, r.Note, line)
	}
	return line
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func (w *world) verify(number string) *Verification {
	w.Helper()
	v, err := w.store.Verify(w.Context(), querytest.Tenant, number, 100)
	if err != nil {
		w.Fatal(err)
	}
	if len(v.Defects) > 0 {
		w.Errorf("bill %s has defects: %v", number, v.Defects)
	}
	return v
}

func lines(list ...string) string { return strings.Join(list, "\n") }
