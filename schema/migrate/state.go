package migrate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/cluster"
	"tapedeck/schema/migrations"
)

// Applied is a migration that was applied.
type Applied struct {
	Version  uint32
	Name     string
	Checksum string
	Oldest   uint32 // the lowest migration that a program must have
	Program  string // the version of the program that applied it; "" if it recorded none

	listed    bool // schema_migrations has a row of it
	forgotten bool // applied before schema_migrations was deleted
}

// State is the schema of a database, compared with the migrations of a program.
type State struct {
	Program string    // the program's version
	Applied []Applied // in order

	// unrecorded reports that the table schema_migrations does not exist. If it existed before, the
	// program's migrations are applied again.
	unrecorded bool
	restoring  bool  // a restore was killed while it put tables in place
	engine     error // ErrEngine if tables are of another engine family than the connection

	all   []migrations.Migration
	steps map[[2]uint32]string // checksums of completed statements
}

// empty reports whether no migration had begun when the state was read.
func (s *State) empty() bool { return s.unrecorded && len(s.Applied) == 0 }

// ErrOld is the error for a schema that this program must not use, since the program is too old.
var ErrOld = errors.New("this program is too old for the database")

// Placing is a table that exists in a database while a restore moves tables into it.
const Placing = "backup_placing"

// ErrRestoring is the error for a database in which a restore was interrupted.
var ErrRestoring = errors.New("the database has a part of a backup")

// ErrEngine is the error for tables of another engine family than --clickhouse-engine names.
var ErrEngine = errors.New("the setting --clickhouse-engine does not fit the database")

// ErrChanged is the error for a migration that was applied in another form.
var ErrChanged = errors.New("an applied migration was changed")

// Read reads the state of the database's schema; on a cluster that of the member that lacks most
// migrations. It changes nothing.
func Read(ctx context.Context, conn driver.Conn, o Options) (*State, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if c, ok := conn.(*cluster.Conn); ok {
		_, s, err := behind(ctx, c, o)
		return s, err
	}
	s := &State{Program: o.Program, all: o.Migrations, steps: map[[2]uint32]string{}}
	if err := conn.QueryRow(ctx, readPlacing).Scan(&s.restoring); err != nil && !hasCode(err, codeAccess) {
		return nil, fmt.Errorf("read the tables: %w", err)
	}
	if s.engine = checkEngine(ctx, conn, ""); hasCode(s.engine, codeAccess) {
		s.engine = nil
	} else if s.engine != nil && !errors.Is(s.engine, ErrEngine) {
		return nil, s.engine
	}
	found := map[uint32]*Applied{}
	rows, err := conn.Query(ctx, readApplied)
	if err == nil {
		for rows.Next() {
			a := Applied{listed: true}
			if err := rows.Scan(&a.Version, &a.Name, &a.Checksum); err != nil {
				return nil, errors.Join(err, rows.Close())
			}
			found[a.Version] = &a
		}
		err = errors.Join(rows.Err(), rows.Close())
	}
	unrecorded := missing(err)
	if err != nil && !unrecorded {
		return nil, fmt.Errorf("read the applied migrations: %w", err)
	}
	if err := s.readSteps(ctx, conn, found); err != nil && !missing(err) {
		return nil, fmt.Errorf("read the applied statements of migrations: %w", err)
	}
	s.unrecorded = unrecorded
	if unrecorded {
		clear(s.steps)
	}
	for _, a := range found {
		known := slices.IndexFunc(s.all, func(m migrations.Migration) bool { return m.Version == a.Version })
		if known >= 0 && !a.listed && (unrecorded || a.forgotten) {
			continue
		}
		if known >= 0 {
			a.Oldest = max(a.Oldest, s.all[known].Oldest)
		}
		s.Applied = append(s.Applied, *a)
	}
	slices.SortFunc(s.Applied, func(a, b Applied) int { return cmp.Compare(a.Version, b.Version) })
	return s, nil
}

func (s *State) readSteps(ctx context.Context, conn driver.Conn, found map[uint32]*Applied) error {
	rows, err := conn.Query(ctx, readSteps)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var step uint32
		var event string
		var a Applied
		if err := rows.Scan(&a.Version, &step, &event, &a.Checksum, &a.Oldest, &a.Name, &a.Program,
			&a.forgotten); err != nil {
			return err
		}
		switch was := found[a.Version]; {
		case event == "done" && a.forgotten:
		case event == "done":
			s.steps[[2]uint32{a.Version, step}] = a.Checksum
		case was == nil:
			found[a.Version] = &a
		default:
			was.Oldest, was.Program = a.Oldest, a.Program
		}
	}
	return rows.Err()
}

// missing reports whether an error says that a table does not exist.
func missing(err error) bool { return hasCode(err, codeUnknownTable) }

// Check reports whether the program may use the database. It returns ErrRestoring if a restore has
// not moved all tables into the database, ErrEngine if its tables are of another engine family, ErrOld if an applied migration requires a later program,
// and ErrChanged if an applied migration differs from the program's.
func (s *State) Check() error {
	if s.restoring {
		return fmt.Errorf("%w: \"tapedeck restore\" was interrupted while it put the tables in place, "+
			"or is still running: run it again when it has ended; it removes the partial tables and starts over",
			ErrRestoring)
	}
	if s.engine != nil {
		return s.engine
	}
	var needs, last Applied
	for _, a := range s.Applied {
		if a.Oldest > needs.Oldest {
			needs = a
		}
		last = a
	}
	if newest := s.newest(); needs.Oldest > newest {
		by := ""
		if needs.Program != "" {
			by = ", applied by tapedeck " + needs.Program
		}
		return fmt.Errorf("%w: its schema is at %s and, since %s%s, needs a program with migration %04d or later; "+
			"this is tapedeck %s with migrations up to %04d: "+
			"install a later version, or restore a backup from before the upgrade (docs/operate/upgrade.md)",
			ErrOld, last.Name, needs.Name, by, needs.Oldest, cmp.Or(s.Program, "of an unknown version"), newest)
	}
	for _, m := range s.all {
		if a, ok := s.applied(m.Version); ok {
			if sum := checksum(m.Text); sum != a.Checksum {
				return changed(m.Name, a.Checksum, sum, a.Program)
			}
			continue
		}
		for i, text := range m.Statements {
			if was, ok := s.steps[[2]uint32{m.Version, uint32(i + 1)}]; ok && was != checksum(text) {
				return changed(fmt.Sprintf("%s, statement %d,", m.Name, i+1), was, checksum(text), "")
			}
		}
	}
	return nil
}

func changed(name, was, is, program string) error {
	if program != "" {
		was += ", by tapedeck " + program
	}
	return fmt.Errorf("%w: %s was applied in another form (checksum %s, now %s); "+
		"it must not be changed: install a released version, and put changes into a new migration",
		ErrChanged, name, was, is)
}

// Pending returns the program's migrations that are not applied, in order.
func (s *State) Pending() []migrations.Migration {
	var list []migrations.Migration
	for _, m := range s.all {
		if _, ok := s.applied(m.Version); !ok {
			list = append(list, m)
		}
	}
	return list
}

// executed returns the program's migrations with those of their statements that were executed.
func (s *State) executed() []migrations.Migration {
	list := slices.Clone(s.all)
	for i, m := range list {
		if _, ok := s.applied(m.Version); ok {
			continue
		}
		list[i].Statements = nil
		for j, text := range m.Statements {
			if _, ok := s.steps[[2]uint32{m.Version, uint32(j + 1)}]; ok {
				list[i].Statements = append(list[i].Statements, text)
			}
		}
	}
	return list
}

// Unknown returns the names of applied migrations that the program does not have.
func (s *State) Unknown() []string {
	var names []string
	for _, a := range s.Applied {
		if !slices.ContainsFunc(s.all, func(m migrations.Migration) bool { return m.Version == a.Version }) {
			names = append(names, a.Name)
		}
	}
	return names
}

// Missing describes the migrations that are not applied; "" if all are applied.
func (s *State) Missing() string {
	pending := s.Pending()
	if len(pending) == 0 {
		return ""
	}
	names := make([]string, len(pending))
	for i, m := range pending {
		names[i] = m.Name
	}
	if len(names) > 3 {
		names = []string{names[0], "…", names[len(names)-1]}
	}
	return "the database lacks " + strings.Join(names, ", ")
}

func (s *State) applied(version uint32) (Applied, bool) {
	for _, a := range s.Applied {
		if a.Version == version {
			return a, true
		}
	}
	return Applied{}, false
}

// unlisted returns the applied migrations that are not in schema_migrations, since the table was
// deleted or the process was killed before it wrote the row.
func (s *State) unlisted() []Applied {
	return slices.DeleteFunc(slices.Clone(s.Applied), func(a Applied) bool { return a.listed })
}

// newest returns the program's last migration.
func (s *State) newest() (version uint32) {
	for _, m := range s.all {
		version = max(version, m.Version)
	}
	return version
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
