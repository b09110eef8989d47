package migrate

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/local/localtest"
	"tapedeck/schema/migrations"
)

// childEnv makes the test binary a process that migrates: see child.
const childEnv = "TAPEDECK_TEST_MIGRATE"

func TestMain(m *testing.M) {
	if setup := os.Getenv(childEnv); setup != "" {
		child(setup)
	}
	localtest.Main(m)
}

// childSetup is what a process that migrates does. KillAt is the moment at which it kills
// itself: the n-th time that a statement ran, or was recorded.
type childSetup struct {
	DSN    string
	KillAt string // "ran 1"
	Lease  time.Duration
	Only   []migrations.Migration // in place of the program's own
}

// child migrates, prints the names of the migrations that it applied, and exits.
func child(setup string) {
	var c childSetup
	if err := json.Unmarshal([]byte(setup), &c); err != nil {
		panic(err)
	}
	what, number, _ := strings.Cut(c.KillAt, " ")
	left, _ := strconv.Atoi(number) // "" is 0: never
	conn := open(c.DSN)
	names, err := Apply(context.Background(), conn, Options{
		Lease: c.Lease, Migrations: c.Only, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		after: func(_ Progress, is string) {
			if is != what {
				return
			}
			if left--; left == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(names, "\n"))
	os.Exit(0)
}

// open connects to one server: of a cluster, to its first member.
func open(dsn string) driver.Conn {
	u, err := url.Parse(dsn)
	if err != nil {
		panic(err)
	}
	q := u.Query()
	q.Del("cluster")
	u.RawQuery = q.Encode()
	o, err := driver.ParseDSN(u.String())
	if err != nil {
		panic(err)
	}
	conn, err := driver.Open(o)
	if err != nil {
		panic(err)
	}
	return conn
}

// database returns an empty database of the test's own.
func database(t testing.TB) (dsn string, conn driver.Conn) {
	t.Helper()
	dsn = localtest.ClickHouse(t)
	conn = open(dsn)
	t.Cleanup(func() { conn.Close() })
	return dsn, conn
}

func do(t testing.TB, conn driver.Conn, statement string) {
	t.Helper()
	if err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// texts returns the rows of a query with one column of texts.
func texts(t testing.TB, conn driver.Conn, query string) (list []string) {
	t.Helper()
	rows, err := conn.Query(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// upTo returns the program's migrations up to a number.
func upTo(t *testing.T, version uint32) []migrations.Migration {
	t.Helper()
	all, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range all {
		if m.Version > version {
			return all[:i]
		}
	}
	return all
}
