package pricetables

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/local/localtest"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/querytest"
)

func TestMain(m *testing.M) { localtest.Main(m) }

func TestStatements(t *testing.T) {
	querytest.Statements(t, statements,
		querytest.NewStatement("current_price_file", "current_price_file", struct{ File bool }{true}),
		querytest.NewStatement("price_table", "price_table", nil),
	)
}

const first, second = "margins: [{factor: 1.1}]\n", "margins: [{factor: 1.2}]\n"

// TestImports runs two servers on one database: what one imports the other uses within
// MaxAge, and every table can be read by its hash afterwards.
func TestImports(t *testing.T) {
	db := querytest.New(t)
	a, b := NewStore(db.Conn, nil), NewStore(db.Conn, nil)
	now := time.Now()
	b.now = func() time.Time { return now }
	hash := func(s *Store) string {
		t.Helper()
		e, err := s.Effective(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return e.Hash()
	}
	standard := prices.Standard().Hash()
	if hash(a) != standard || hash(b) != standard {
		t.Fatalf("without a file: %s and %s, expected %s", hash(a), hash(b), standard)
	}
	_, v1, err := a.Import(t.Context(), "first.yaml", []byte(first))
	if err != nil {
		t.Fatal(err)
	}
	if v1.Table.Hash() == standard || hash(a) != v1.Table.Hash() {
		t.Errorf("after the import %s is current, expected %s", hash(a), v1.Table.Hash())
	}
	if now = now.Add(MaxAge - 1); hash(b) != standard {
		t.Errorf("the other server looked before its table was %s old", MaxAge)
	}
	if now = now.Add(1); hash(b) != v1.Table.Hash() {
		t.Errorf("the other server uses %s after %s, expected %s", hash(b), MaxAge, v1.Table.Hash())
	}
	before, v2, err := b.Import(t.Context(), "second.yaml", []byte(second))
	if err != nil || before.Table.Hash() != v1.Table.Hash() {
		t.Fatalf("import after %v: %v", before, err)
	}
	// A third server starts; an earlier file is imported again and is current again.
	if c := NewStore(db.Conn, nil); hash(c) != v2.Table.Hash() {
		t.Errorf("a new server uses %s, expected %s", hash(c), v2.Table.Hash())
	}
	if _, _, err := a.Import(t.Context(), "again.yaml", []byte(first)); err != nil {
		t.Fatal(err)
	}
	c := NewStore(db.Conn, nil)
	if v, err := c.Current(t.Context()); err != nil || v.Table.Hash() != v1.Table.Hash() || v.FileName != "again.yaml" {
		t.Errorf("after an earlier file was imported again: %+v, %v", v, err)
	}
	db.Merge()
	for _, want := range []string{standard, v1.Table.Hash(), v2.Table.Hash()} {
		if e, err := c.Effective(t.Context(), want); err != nil || e.Hash() != want {
			t.Errorf("table %s: %v", want, err)
		}
	}
	_, err = c.Effective(t.Context(), strings.Repeat("0", 64))
	if _, ok := errors.AsType[*prices.UnknownHash](err); !ok {
		t.Errorf("an unknown hash: %v", err)
	}
}

// TestInvalidImport changes nothing.
func TestInvalidImport(t *testing.T) {
	db := querytest.New(t)
	s := NewStore(db.Conn, nil)
	_, _, err := s.Import(t.Context(), "p.yaml", []byte("margins: [{factor: -1}]\n"))
	if _, ok := errors.AsType[prices.FileErrors](err); !ok {
		t.Errorf("a negative factor: %v", err)
	}
	var rows uint64
	if err := db.Conn.QueryRow(t.Context(), "SELECT count() FROM price_tables").Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// TestUpgrade starts a program whose own table is another one than that of the program
// that imported the file: the file stays current, and both tables are kept.
func TestUpgrade(t *testing.T) {
	db := querytest.New(t)
	operator, err := prices.ReadFile("p.yaml", []byte(first))
	if err != nil {
		t.Fatal(err)
	}
	old, err := prices.Combine(&prices.Table{Source: prices.Release{Version: "older"}}, nil, operator)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s := NewStore(db.Conn, nil)
	if err := s.insert(t.Context(), &Version{old, at, "p.yaml", first}); err != nil {
		t.Fatal(err)
	}
	v, err := s.Current(t.Context())
	if err != nil || v.Table.Hash() != prices.With(operator).Hash() || !v.ImportedAt.Equal(at) {
		t.Fatalf("current %+v, %v", v, err)
	}
	again := NewStore(db.Conn, nil)
	for _, hash := range []string{old.Hash(), v.Table.Hash()} {
		if _, err := again.Effective(t.Context(), hash); err != nil {
			t.Error(err)
		}
	}
}

// TestDatabaseAway fails and keeps nothing wrong.
func TestDatabaseAway(t *testing.T) {
	db := querytest.New(t)
	s := NewStore(db.Conn, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Current(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("current without a database: %v", err)
	}
	if v, err := s.Current(t.Context()); err != nil || v.Table == nil {
		t.Errorf("current with it: %v, %v", v, err)
	}
}

// TestUpdate makes a published table the list of all servers. A price file that is imported
// afterwards keeps it, an older table is refused, and a dry run changes nothing.
func TestUpdate(t *testing.T) {
	db := querytest.New(t)
	s, text := NewStore(db.Conn, nil), []byte(`{"gpt-9":{"litellm_provider":"openai","input_cost_per_token":1e-06,"output_cost_per_token":2e-06}}`)
	if _, _, err := s.Update(t.Context(), text, "2026-12-01", true); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Current(t.Context()); err != nil || v.Table.Hash() != prices.Standard().Hash() {
		t.Fatalf("after a dry run: %v", err)
	}
	before, after, err := s.Update(t.Context(), text, "2026-12-01", false)
	if err != nil || before.Table.Hash() != prices.Standard().Hash() || after.Table.Table().Source.Date != "2026-12-01" {
		t.Fatalf("update: %v", err)
	}
	other := NewStore(db.Conn, nil)
	if v, err := other.Current(t.Context()); err != nil || v.Table.Hash() != after.Table.Hash() {
		t.Fatalf("another server uses another table: %v", err)
	}
	if _, v, err := other.Import(t.Context(), "first.yaml", []byte(first)); err != nil || v.Table.Table().Source.Date != "2026-12-01" {
		t.Fatalf("a price file after the update: %v", err)
	}
	third := NewStore(db.Conn, nil)
	v, err := third.Current(t.Context())
	if err != nil || v.FileName != "first.yaml" || v.Table.Table().Source.Date != "2026-12-01" {
		t.Fatalf("a new server after both: %+v, %v", v, err)
	}
	_, _, err = third.Update(t.Context(), text, "2026-11-30", false)
	if _, ok := errors.AsType[*Invalid](err); !ok || !strings.Contains(err.Error(), "2026-12-01") {
		t.Errorf("an older table: %v", err)
	}
}

// TestChangesOnTwoServers changes the prices on two servers that do not look at each other's
// changes: an update keeps the price file of the other server, and an import its list.
func TestChangesOnTwoServers(t *testing.T) {
	db := querytest.New(t)
	a, b, now := NewStore(db.Conn, nil), NewStore(db.Conn, nil), time.Now()
	a.now, b.now = func() time.Time { return now }, func() time.Time { return now }
	for _, s := range []*Store{a, b} {
		if _, err := s.Current(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what, file, factor, date string, before, used *Version) {
		t.Helper()
		stored, err := NewStore(db.Conn, nil).Current(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if used.Table.Hash() != stored.Table.Hash() || used.FileName != stored.FileName {
			t.Errorf("%s: the server uses %s of %s, another one %s of %s", what, used.Table.Hash(), used.FileName, stored.Table.Hash(), stored.FileName)
		}
		margins := stored.Table.Operator().Margins
		if stored.FileName != file || len(margins) != 1 || margins[0].Factor.String() != factor || stored.Table.Table().Source.Date != date {
			t.Errorf("%s: %s with the margins %+v and the list of %s, want %s, %s and %s", what, stored.FileName, margins, stored.Table.Table().Source.Date, file, factor, date)
		}
		if before.Table.Hash() == used.Table.Hash() {
			t.Errorf("%s changed nothing", what)
		}
	}
	text := []byte(`{"gpt-9":{"litellm_provider":"openai","input_cost_per_token":1e-06,"output_cost_per_token":2e-06}}`)
	_, imported, err := a.Import(t.Context(), "first.yaml", []byte(first))
	if err != nil {
		t.Fatal(err)
	}
	before, after, err := b.Update(t.Context(), text, "2026-12-01", false)
	if err != nil || before.Table.Hash() != imported.Table.Hash() {
		t.Fatalf("update after %+v: %v", before, err)
	}
	check("an update after an import", "first.yaml", "1.1", "2026-12-01", before, after)
	if before, after, err = a.Import(t.Context(), "second.yaml", []byte(second)); err != nil {
		t.Fatal(err)
	}
	check("an import after an update", "second.yaml", "1.2", "2026-12-01", before, after)
}
