// Package pricetables stores the versions of the effective price table in ClickHouse.
package pricetables

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/query/pricing/prices"
	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var statements = sqltemplate.Parse(files)

// MaxAge is how long a store uses the current table before it checks for a newer one.
const MaxAge = 10 * time.Second

// maxKept is the number of tables that a store caches besides the current one.
const maxKept = 8

// Store reads and writes price tables in ClickHouse. It implements prices.Source and is
// safe for use by many goroutines.
type Store struct {
	conn driver.Conn
	log  *slog.Logger
	now  func() time.Time

	mu      sync.Mutex // held during the lookup of the current table; other readers wait for its result
	current *Version   // nil before the first lookup
	looked  time.Time
	kept    map[string]*prices.Effective // by hash, without the current table
}

// Version is an effective table with the price file from which it was made.
type Version struct {
	Table      *prices.Effective
	ImportedAt time.Time // zero if no file was imported
	FileName   string
	file       string // text of the file
}

// NewStore returns a store on a connection, which the caller closes. log may be nil.
func NewStore(conn driver.Conn, log *slog.Logger) *Store {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Store{conn: conn, log: log, now: time.Now, kept: map[string]*prices.Effective{}}
}

// Effective implements prices.Source. The current table is at most MaxAge old. An unknown hash
// returns a *prices.UnknownHash.
func (s *Store) Effective(ctx context.Context, hash string) (*prices.Effective, error) {
	if hash == "" {
		v, err := s.Current(ctx)
		if err != nil {
			return nil, err
		}
		return v.Table, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && s.current.Table.Hash() == hash {
		return s.current.Table, nil
	}
	if t := s.kept[hash]; t != nil {
		return t, nil
	}
	return s.load(ctx, hash)
}

// load reads a table by its hash.
func (s *Store) load(ctx context.Context, hash string) (*prices.Effective, error) {
	var text string
	err := s.conn.QueryRow(ctx, statements.Must("price_table", nil), clickhouse.Named("hash", hash)).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		if standard := prices.Standard(); standard.Hash() == hash {
			return standard, nil // no table was stored yet
		}
		return nil, &prices.UnknownHash{Hash: hash}
	}
	if err != nil {
		return nil, fmt.Errorf("read price table %s: %w", hash, err)
	}
	t, err := prices.LoadEffective([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("read price table %s: %w", hash, err)
	}
	if t.Hash() != hash {
		return nil, fmt.Errorf("read price table %s: its stored text has the hash %s", hash, t.Hash())
	}
	if len(s.kept) >= maxKept {
		clear(s.kept)
	}
	s.kept[hash] = t
	return t, nil
}

// Current returns the current table: the program's own table with the price file that was imported
// last.
func (s *Store) Current(ctx context.Context) (*Version, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && s.now().Sub(s.looked) < MaxAge {
		return s.current, nil
	}
	return s.look(ctx)
}

// look reads which table is current, however short ago that was. s.mu is held.
func (s *Store) look(ctx context.Context) (*Version, error) {
	row, err := s.latest(ctx, false)
	if err != nil {
		return nil, err
	}
	if s.current == nil || !row.importedAt.Equal(s.current.ImportedAt) {
		if row, err = s.latest(ctx, true); err != nil {
			return nil, err
		}
		v, err := s.version(ctx, row)
		if err != nil {
			return nil, err
		}
		s.current = v
	}
	s.looked = s.now()
	return s.current, nil
}

// fileRow is the price file that was imported last; zero if there is none.
type fileRow struct {
	hash, name, file string
	importedAt       time.Time
}

func (s *Store) latest(ctx context.Context, file bool) (row fileRow, err error) {
	into := []any{&row.hash, &row.importedAt, &row.name}
	if file {
		into = append(into, &row.file)
	}
	err = s.conn.QueryRow(ctx, statements.Must("current_price_file", struct{ File bool }{file})).Scan(into...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return row, fmt.Errorf("read the current price file: %w", err)
	}
	return row, nil
}

// version makes the effective table of a price file and stores it if this program made
// another one of the file before.
func (s *Store) version(ctx context.Context, row fileRow) (*Version, error) {
	operator, err := prices.ReadFile(row.name, []byte(row.file))
	if err != nil {
		// The file was imported by another version of the program.
		s.log.Warn("prices: this version cannot read the current price file, its stored table is used",
			"file", row.name, "hash", row.hash, "error", err)
		t, err := s.load(ctx, row.hash)
		return &Version{t, row.importedAt, row.name, row.file}, err
	}
	var used *prices.Effective
	if row.hash != "" && row.hash != prices.With(operator).Hash() {
		if used, err = s.load(ctx, row.hash); err != nil {
			// A newer version of the program wrote it: its list is not known here.
			s.log.Warn("prices: this version cannot read the current price table, its own list prices are used",
				"hash", row.hash, "error", err)
		}
	}
	table, err := prices.WithList(used, operator)
	if err != nil {
		return nil, err
	}
	v := &Version{table, row.importedAt, row.name, row.file}
	if v.Table.Hash() == row.hash {
		return v, nil
	}
	if row.importedAt.IsZero() {
		v.ImportedAt = time.Unix(0, 0).UTC() // before every import
	}
	return v, s.insert(ctx, v)
}

func (s *Store) insert(ctx context.Context, v *Version) error {
	b, err := s.conn.PrepareBatch(ctx, statements.Must("insert_price_table", nil))
	if err == nil {
		if err = b.Append(v.Table.Hash(), v.ImportedAt, v.FileName, v.file, string(v.Table.Text())); err == nil {
			err = b.Send()
		}
	}
	if err != nil {
		return fmt.Errorf("store price table %s: %w", v.Table.Hash(), err)
	}
	return nil
}

// Import makes a price file the current one and returns the versions before and after. The file
// must be valid.
func (s *Store) Import(ctx context.Context, name string, file []byte) (before, after *Version, err error) {
	operator, err := prices.ReadFile(name, file)
	if err != nil {
		return nil, nil, err
	}
	// Another server may have updated the list after this one looked last.
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, err = s.look(ctx); err != nil {
		return nil, nil, err
	}
	table, err := prices.WithList(before.Table, operator)
	if err != nil {
		return nil, nil, err
	}
	after = &Version{table, s.after(before.ImportedAt), name, string(file)}
	return before, after, s.use(ctx, after)
}

// after returns the present time, or one after an import: the time of import orders the files,
// also where clocks differ.
func (s *Store) after(imported time.Time) time.Time {
	if at := s.now().UTC(); at.After(imported) {
		return at
	}
	return imported.Add(1)
}

// use stores a version and makes it the current one. s.mu is held.
func (s *Store) use(ctx context.Context, v *Version) error {
	if err := s.insert(ctx, v); err != nil {
		return err
	}
	s.current, s.looked = v, s.now()
	return nil
}

// Invalid is the error of a published table that cannot be taken.
type Invalid struct{ Reason error }

func (e *Invalid) Error() string { return e.Reason.Error() }

// Update makes a published table the list that calls are charged by, with the price file that is in
// use, and returns the version before it. With dry nothing is stored. The table must be no older
// than the list in use.
func (s *Store) Update(ctx context.Context, text []byte, date string, dry bool) (before, after *Version, err error) {
	// Another server may have imported a price file after this one looked last.
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, err = s.look(ctx); err != nil {
		return nil, nil, err
	}
	list := before.Table.Table()
	published, err := prices.ReadPublished(text, date, list)
	if err != nil {
		return nil, nil, &Invalid{err}
	}
	if date < list.Source.Date {
		return nil, nil, &Invalid{fmt.Errorf("the table is of %s, older than the list prices in use, which are of %s",
			date, list.Source.Date)}
	}
	amended, err := prices.Amended(published)
	if err != nil {
		return nil, nil, err
	}
	table, err := prices.Combine(amended, prices.Overlay(), before.Table.Operator())
	if err != nil {
		return nil, nil, err
	}
	after = &Version{table, s.after(before.ImportedAt), before.FileName, before.file}
	if dry || table.Hash() == before.Table.Hash() {
		return before, after, nil
	}
	return before, after, s.use(ctx, after)
}
