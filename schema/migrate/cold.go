package migrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/schema/cluster"
)

// ErrCold is the error for a storage policy that cannot be used with --clickhouse-storage-policy.
var ErrCold = errors.New("the setting --clickhouse-storage-policy does not fit ClickHouse")

// ColdVolume is the volume of a storage policy that has the old recordings.
const ColdVolume = "cold"

// coldCodec compresses old recordings: for texts of frames about a fifth less than ZSTD(3), for
// twice its processor time (docs/profiling.md).
const coldCodec = "ZSTD(9)"

// Cold says what ClickHouse does with recordings from an age on. The zero value leaves the tables
// as they are.
type Cold struct {
	// After is the age, whole days, from which rows are compressed more strongly.
	After time.Duration
	// Policy is the storage policy to whose volume "cold" the rows then move; "" if they stay where
	// they are.
	Policy string
}

// coldTables are the tables that have nearly all bytes, with the time by which their rows age. The
// other tables are small and read by every list, so they stay on the first volume.
var coldTables = []struct{ name, column string }{
	{"frames", "stream_started"},
	{"messages", "toDateTime(seen_at)"},
	{"spans", "toDateTime(seen_at)"},
	{"usage", "toDateTime(seen_at)"},
}

func coldNames() []string {
	var names []string
	for _, t := range coldTables {
		names = append(names, t.name)
	}
	return names
}

// days returns the age in days.
func (c Cold) days() int { return int(c.After / (24 * time.Hour)) }

// expression returns the TTL of a table, as ClickHouse writes it.
func (c Cold) expression(column string) string {
	at := fmt.Sprintf("%s + toIntervalDay(%d)", column, c.days())
	text := fmt.Sprintf("%s RECOMPRESS CODEC(%s)", at, coldCodec)
	if c.Policy != "" {
		text += fmt.Sprintf(", %s TO VOLUME '%s'", at, ColdVolume)
	}
	return text
}

// check returns ErrCold if the policy does not exist, or lacks the volume "cold" or one that the
// tables of a database use, "" for that of the connection. It changes nothing.
func (c Cold) check(ctx context.Context, conn driver.Conn, database string) error {
	if c.Policy == "" {
		return nil
	}
	var has, used []string
	err := conn.QueryRow(ctx, readColdPolicy, driver.Named("policy", c.Policy), driver.Named("tables", coldNames()),
		driver.Named("database", database)).Scan(&has, &used)
	if err != nil {
		return fmt.Errorf("read ClickHouse's storage policies: %w", err)
	}
	if len(has) == 0 {
		return fmt.Errorf("%w: it has no storage policy %s: add it to storage_configuration in ClickHouse's configuration", ErrCold, c.Policy)
	}
	for _, volume := range append([]string{ColdVolume}, used...) {
		if !slices.Contains(has, volume) {
			return fmt.Errorf("%w: its storage policy %s has no volume %s (it has %s): add the volume to the policy",
				ErrCold, c.Policy, volume, strings.Join(has, ", "))
		}
	}
	return nil
}

// coldChange selects changes of tables for old rows.
type coldChange int

const (
	coldSettings coldChange = 1 << iota // ClickHouse does not replicate them
	coldTTL
)

// apply gives the tables of a server the TTL and the policy that they do not have yet. ClickHouse
// computes the age of stored parts and moves them in the background.
func (c Cold) apply(ctx context.Context, conn driver.Conn, o Options) error {
	return c.change(ctx, conn, o, coldSettings|coldTTL)
}

// change is apply for some changes.
func (c Cold) change(ctx context.Context, conn driver.Conn, o Options, what coldChange) error {
	if c.After == 0 {
		return nil
	}
	rows, err := conn.Query(ctx, readColdTables, driver.Named("tables", coldNames()))
	if err != nil {
		return fmt.Errorf("read the storage policies of tables: %w", err)
	}
	defer rows.Close()
	policies, engines := map[string]string{}, map[string]string{}
	for rows.Next() {
		var name, policy, engine string
		if err := rows.Scan(&name, &policy, &engine); err != nil {
			return fmt.Errorf("read the storage policies of tables: %w", err)
		}
		policies[name], engines[name] = policy, engine
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the storage policies of tables: %w", err)
	}
	for _, t := range coldTables {
		var changes []string
		if c.Policy != "" && policies[t.name] != c.Policy {
			changes = append(changes, fmt.Sprintf("MODIFY SETTING storage_policy = '%s'", escape(c.Policy)))
		}
		if ttl := c.expression(t.column); !strings.Contains(engines[t.name], " TTL "+ttl+" SETTINGS ") {
			// The age of stored parts is computed without writing their other columns anew.
			changes = append(changes, "MODIFY SETTING materialize_ttl_recalculate_only = 1", "MODIFY TTL "+ttl)
		}
		changes = slices.DeleteFunc(changes, func(change string) bool {
			is := coldTTL
			if setsSettings.MatchString(change) {
				is = coldSettings
			}
			return what&is == 0
		})
		for _, change := range changes {
			if err := conn.Exec(ctx, "ALTER TABLE "+t.name+" "+change); err != nil {
				return fmt.Errorf("change where the table %s has old rows (%s): %w", t.name, change, err)
			}
		}
		if len(changes) > 0 {
			o.Log.Info("migrate: changed what ClickHouse does with old rows", "table", t.name, "days", c.days(), "policy", c.Policy)
		}
	}
	return nil
}

// checkCold checks the policy on every server of the database, before anything is changed.
func checkCold(ctx context.Context, conn driver.Conn, o Options) error {
	c, ok := conn.(*cluster.Conn)
	if !ok {
		return o.Cold.check(ctx, conn, "")
	}
	members, err := c.Members(ctx)
	if err != nil {
		return err
	}
	for _, m := range members {
		conn, err := c.On(m, anyDatabase) // the local one may not exist yet
		if err == nil {
			err = o.Cold.check(ctx, conn, c.Local())
		}
		if err != nil {
			return fmt.Errorf("member %s of cluster %s: %w", m.Address, c.Name(), err)
		}
	}
	return nil
}

// escape makes a text safe inside single quotes.
func escape(text string) string { return strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) }
