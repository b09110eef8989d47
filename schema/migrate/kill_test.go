package migrate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/schema/migrations"
)

// testLease is short, since each process that is killed is waited for.
const testLease = 60 * time.Millisecond

// start runs a process that migrates, and returns what it printed and how it ended.
func start(t *testing.T, setup childSetup) (out string, err error) {
	t.Helper()
	if setup.Lease == 0 {
		setup.Lease = testLease
	}
	text, err := json.Marshal(setup)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err = cmd.Run(); err != nil {
		err = fmt.Errorf("%w: %s", err, stderr.String())
	}
	return strings.TrimSpace(stdout.String()), err
}

// before is the last migration of the schema in which the rows are that later ones change.
const before = 14

// fill stores rows as programs before the settled usage did.
func fill(t *testing.T, conn driver.Conn) {
	t.Helper()
	for table, columns := range map[string]string{
		"frames":   "tenant, session_id, stream_id, seq, stream_started, captured_at, raw) SELECT 'a', concat('s', toString(number % 7)), 'x', number, 1000, 1000000000 + number, concat('{\"n\": ', toString(number), '}')",
		"streams":  "tenant, session_id, stream_id, stream_started, version, title) SELECT 'a', concat('s', toString(number % 7)), toString(number), 1000, 1, 'Title'",
		"spans":    "tenant, session_id, stream_id, span_id, seen_at, seen_seq, version, error) SELECT 'a', 's', 'x', toString(number), 1000 + number, number, 1, 'it Failed'",
		"messages": "tenant, session_id, stream_id, message_id, seen_at, seen_seq, version, text) SELECT 'a', 's', 'x', toString(number), 1000 + number, number, 1, concat('Wörter and words ', toString(number))",
		"usage":    "tenant, session_id, stream_id, usage_id, seen_at, seen_seq, version, input) SELECT 'a', 's', 'x', toString(number), 1000 + number, number, 1, number",
	} {
		do(t, conn, "INSERT INTO "+table+" ("+columns+" FROM numbers(1000)")
	}
}

// whole returns the definition and a hash of the rows of every table, without those that
// record the run.
func whole(t *testing.T, conn driver.Conn) map[string]string {
	t.Helper()
	bounded.Until(t, "the end of mutations", func() bool {
		return texts(t, conn, "SELECT toString(count()) FROM system.mutations WHERE database = currentDatabase() AND NOT is_done")[0] == "0"
	})
	found := map[string]string{}
	for _, table := range texts(t, conn, "SELECT name FROM system.tables WHERE database = currentDatabase() AND name NOT LIKE 'schema%'") {
		database := texts(t, conn, "SELECT currentDatabase()")[0]
		definition := strings.ReplaceAll(texts(t, conn, "SHOW CREATE TABLE "+table)[0], database+".", "")
		hash := texts(t, conn, "SELECT concat(toString(count()), ' ', ifNull(toString(sum(cityHash64(*))), '')) FROM "+table)[0]
		found[table] = definition + "\n" + hash
	}
	found["applied"] = strings.Join(texts(t, conn, "SELECT concat(name, ' ', checksum) FROM schema_migrations FINAL ORDER BY version"), "\n")
	return found
}

// undisturbed returns what a run without faults makes of rows that were stored before it.
func undisturbed(t *testing.T) map[string]string {
	t.Helper()
	_, conn := database(t)
	for _, o := range []Options{{Migrations: upTo(t, before)}, {}} {
		if _, err := Apply(t.Context(), conn, o); err != nil {
			t.Fatal(err)
		}
		if o.Migrations != nil {
			fill(t, conn)
		}
	}
	return whole(t, conn)
}

// A process is killed after every statement, before the statement was recorded. Each process
// but the first begins with the statement at which the one before was killed.
func TestKilledAtEveryStatement(t *testing.T) {
	fulltest.Long(t)
	want := undisturbed(t)
	dsn, conn := database(t)
	kills, filled := 0, false
	for _, phase := range [][]migrations.Migration{upTo(t, before), nil} {
		for {
			moment := "ran 2"
			if kills == 0 {
				moment = "ran 1"
			}
			out, err := start(t, childSetup{DSN: dsn, KillAt: moment, Only: phase})
			if err == nil {
				if name := phaseEnd(t, phase); out != name {
					t.Errorf("the last process applied %q, want %q", out, name)
				}
				break
			}
			if !strings.Contains(err.Error(), "signal: killed") {
				t.Fatal(err)
			}
			kills++
		}
		if !filled {
			fill(t, conn)
			filled = true
		}
	}
	statements := 0
	for _, m := range upTo(t, 1<<31) {
		statements += len(m.Statements)
	}
	if kills < statements-1 { // the second run of migrations begins with a statement that is not killed
		t.Errorf("%d processes were killed, want one for each of %d statements", kills, statements)
	}
	if diff := cmp.Diff(want, whole(t, conn)); diff != "" {
		t.Errorf("(-undisturbed +killed):\n%s", diff)
	}
}

func phaseEnd(t *testing.T, phase []migrations.Migration) string {
	t.Helper()
	if phase == nil {
		phase = upTo(t, 1<<31)
	}
	return phase[len(phase)-1].Name
}

// A process is killed when a migration is recorded, and not yet listed for older programs.
func TestKilledBeforeTheList(t *testing.T) {
	dsn, conn := database(t)
	one := upTo(t, 1)
	if _, err := start(t, childSetup{DSN: dsn, KillAt: "whole 1", Only: one}); err == nil {
		t.Fatal("the process was not killed")
	}
	if listed := texts(t, conn, "SELECT name FROM schema_migrations"); len(listed) > 0 {
		t.Fatalf("it listed %q", listed)
	}
	if out, err := start(t, childSetup{DSN: dsn, Only: one}); err != nil || out != "" {
		t.Errorf("the next process applied %q, %v", out, err)
	}
	if listed := texts(t, conn, "SELECT name FROM schema_migrations"); len(listed) != 1 || listed[0] != one[0].Name {
		t.Errorf("%q is listed", listed)
	}
}

// Four processes start at once: each statement runs once, one that moves data as well.
func TestFourProcessesAtOnce(t *testing.T) {
	fulltest.Long(t)
	dsn, conn := database(t)
	do(t, conn, "CREATE TABLE source ENGINE = MergeTree ORDER BY n AS SELECT number AS n FROM numbers(10000)")
	do(t, conn, "CREATE TABLE moved (n UInt64) ENGINE = MergeTree ORDER BY n")
	moving := append(slices.Clone(upTo(t, 1<<31)), migrations.Migration{
		Version: 1 << 20, Name: "moving", Statements: []string{"INSERT INTO moved SELECT n FROM source WHERE sleepEachRow(0.00003) = 0"}, Text: "moving",
	})
	var mu sync.Mutex
	var applied []string
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			out, err := start(t, childSetup{DSN: dsn, Lease: defaultLease, Only: moving})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			applied = append(applied, strings.Fields(out)...)
		})
	}
	running.Wait()
	var want []string
	for _, m := range moving {
		want = append(want, m.Name)
	}
	slices.Sort(want)
	slices.Sort(applied)
	if diff := cmp.Diff(want, applied); diff != "" {
		t.Errorf("migrations by all processes (-want +got):\n%s", diff)
	}
	if got := texts(t, conn, "SELECT toString(count()) FROM moved"); got[0] != "10000" {
		t.Errorf("%s rows were moved of 10000", got[0])
	}
	if twice := texts(t, conn, "SELECT concat(toString(version), '/', toString(step)) FROM schema_steps WHERE event = 'begun' GROUP BY version, step HAVING count() > 1"); len(twice) > 0 {
		t.Errorf("statements that ran more than once: %q", twice)
	}
}

// A process that stops answering while it holds the lock is replaced, and its statement is
// not run a second time while ClickHouse still runs it.
func TestHolderIsKilledDuringAStatement(t *testing.T) {
	dsn, conn := database(t)
	do(t, conn, "CREATE TABLE moved (n UInt64) ENGINE = ReplacingMergeTree ORDER BY n")
	slow := []migrations.Migration{{Version: 1, Name: "slow", Text: "slow", Statements: []string{
		"INSERT INTO moved SELECT number FROM numbers(20) WHERE sleepEachRow(0.1) = 0 SETTINGS max_block_size = 1"}}}
	text, err := json.Marshal(childSetup{DSN: dsn, Lease: testLease, Only: slow})
	if err != nil {
		t.Fatal(err)
	}
	first := exec.CommandContext(t.Context(), os.Args[0])
	first.Env = append(os.Environ(), childEnv+"="+string(text))
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the statement", func() bool {
		return texts(t, conn, "SELECT toString(count()) FROM system.processes WHERE query_id LIKE concat('tapedeck-migrate-', currentDatabase(), '%')")[0] == "1"
	})
	_ = first.Process.Signal(syscall.SIGKILL)
	_ = first.Wait() // it was killed
	if out, err := start(t, childSetup{DSN: dsn, Only: slow}); err != nil || out != "slow" {
		t.Fatalf("the next process: %q, %v", out, err)
	}
	if got := texts(t, conn, "SELECT toString(count()) FROM moved FINAL"); got[0] != "20" {
		t.Errorf("%s rows, want 20", got[0])
	}
}
