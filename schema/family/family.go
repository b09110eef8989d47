// Package family describes the engine families of ClickHouse's MergeTree tables.
//
// --clickhouse-engine names the family. The connections that package clickhouse opens have it, see Of,
// and the settings that its tables need, see Engine.Settings.
package family

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Family is a family of table engines.
type Family string

const (
	// Plain is MergeTree: each server has the rows that were inserted into it.
	Plain Family = "plain"
	// Replicated is ReplicatedMergeTree: the replicas of a shard have the same rows.
	Replicated Family = "replicated"
	// Shared is SharedMergeTree of ClickHouse Cloud, which makes it of MergeTree by itself.
	Shared Family = "shared"
)

// Parse returns the family of a name. "" is Plain.
func Parse(name string) (Family, error) {
	switch f := Family(name); f {
	case "":
		return Plain, nil
	case Plain, Replicated, Shared:
		return f, nil
	}
	return "", fmt.Errorf("the engine family %q is unknown: it is plain, replicated or shared", name)
}

// QuorumAuto is the quorum of the majority of the replicas.
const QuorumAuto = "auto"

// ParseQuorum returns the quorum of inserts that a setting names: "" for 0, which means none, QuorumAuto,
// or a number of replicas of 2 and more.
func ParseQuorum(text string) (string, error) {
	switch text {
	case "", "0":
		return "", nil
	case QuorumAuto:
		return QuorumAuto, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 2 {
		return "", fmt.Errorf("the quorum %q is neither 0, auto nor a number of replicas of 2 and more", text)
	}
	return strconv.Itoa(n), nil
}

// Engine is a family and how inserts are acknowledged. The zero value is of plain tables.
type Engine struct {
	Family Family
	// Quorum is the number of replicas that have stored an insert when it is acknowledged, or QuorumAuto;
	// "" if one is enough. It is for Replicated.
	Quorum string
}

// IsPlain reports whether the tables are plain.
func (e Engine) IsPlain() bool { return e.Family == "" || e.Family == Plain }

// IsReplicated reports whether the tables are of the family Replicated.
func (e Engine) IsReplicated() bool { return e.Family == Replicated }

// Settles reports whether usage can be settled. Settlements find changes by the numbers of inserts. A
// table of the other families has numbers for each partition, which are not given in the order in which
// inserts become visible.
func (e Engine) Settles() bool { return e.IsPlain() }

// Settings returns the settings of every connection, nil for plain tables.
//
//   - A repeated insert is stored: its rows replace the first ones by version, and rows that were deleted
//     meanwhile are written again. deduplicate_insert overrides insert_deduplicate since ClickHouse 26.2.
//   - A deletion has ended when it is done on all replicas, and so has a change of a table. A replica that
//     is away makes it fail. A replica of Shared that is not active reads the change when it starts.
//   - Statements on replicas use the first one of each shard that can be reached, so that a row that was
//     acknowledged is read.
//   - With a quorum, and with Shared, a replica that lacks an acknowledged insert is not read.
func (e Engine) Settings() map[string]any {
	if e.IsPlain() {
		return nil
	}
	s := map[string]any{
		"insert_deduplicate": 0, "deduplicate_insert": "disable", "deduplicate_insert_select": "disable",
		"mutations_sync": 2, "lightweight_deletes_sync": 2,
	}
	if e.Family == Shared {
		s["alter_sync"] = 3
		s["select_sequential_consistency"] = 1
		return s
	}
	s["alter_sync"] = 2
	s["load_balancing"] = "in_order"
	s["prefer_localhost_replica"] = 0
	if e.Quorum != "" {
		s["insert_quorum"] = e.Quorum
		s["insert_quorum_parallel"] = 0
		s["select_sequential_consistency"] = 1
	}
	return s
}

// Wrong returns those of the tables whose engine is of another family. tables has the engine of
// system.tables by the name of the table.
func (e Engine) Wrong(tables map[string]string) (names []string) {
	for name, engine := range tables {
		if of, is := Of(engine); is && of != e.family() && (e.Family != Shared || of != Plain) {
			names = append(names, name)
		}
	}
	return names
}

func (e Engine) family() Family {
	if e.Family == "" {
		return Plain
	}
	return e.Family
}

// Of returns the family of an engine of system.tables; false if it is not of MergeTree.
func Of(engine string) (Family, bool) {
	switch {
	case !strings.HasSuffix(engine, "MergeTree"):
		return "", false
	case strings.HasPrefix(engine, "Replicated"):
		return Replicated, true
	case strings.HasPrefix(engine, "Shared"):
		return Shared, true
	}
	return Plain, true
}

var (
	engineClause   = regexp.MustCompile(`(?m)^ENGINE = (\w*MergeTree)(?:\(([^()]*)\))?`)
	settingsClause = regexp.MustCompile(`(?m)^SETTINGS `)
)

// ErrNoEngine is the error of a statement that has no engine of MergeTree, or several.
var ErrNoEngine = fmt.Errorf("the statement has not one line \"ENGINE = …MergeTree\"")

// Replicate returns a statement CREATE TABLE of a plain table with the replicated engine. The path in
// Keeper has the macro shard, the database and the table, the name of the replica is the macro replica.
// No insert is dropped because an earlier one had the same rows, whatever the settings of the insert are.
func Replicate(statement, database, table string) (string, error) {
	found := engineClause.FindAllStringSubmatchIndex(statement, -1)
	if len(found) != 1 {
		return "", fmt.Errorf("create the replicated table %s: %w", table, ErrNoEngine)
	}
	at := found[0]
	engine := statement[at[2]:at[3]]
	arguments := ""
	if at[4] >= 0 && at[4] < at[5] {
		arguments = ", " + statement[at[4]:at[5]]
	}
	path := "/clickhouse/tables/{shard}/" + database + "/" + table
	clause := fmt.Sprintf("ENGINE = Replicated%s('%s', '{replica}'%s)", engine, quoted.Replace(path), arguments)
	statement = statement[:at[0]] + clause + statement[at[1]:]
	const window = "replicated_deduplication_window = 0"
	if at := settingsClause.FindStringIndex(statement); at != nil {
		return statement[:at[1]] + window + ", " + statement[at[1]:], nil
	}
	return statement + "\nSETTINGS " + window, nil
}

var quoted = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

// Conn is a connection to tables of a family.
type Conn struct {
	driver.Conn
	engine Engine
}

// NewConn returns a connection to tables of an engine. Of plain tables it is conn itself.
func NewConn(conn driver.Conn, e Engine) driver.Conn {
	if e.IsPlain() {
		return conn
	}
	return &Conn{conn, e}
}

// Engine returns the engine of the tables.
func (c *Conn) Engine() Engine { return c.engine }

// OfConn returns the engine of the tables of a connection.
func OfConn(conn driver.Conn) Engine {
	if c, is := conn.(interface{ Engine() Engine }); is {
		return c.Engine()
	}
	return Engine{}
}
