package bills

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/internal/failpoint"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/broker"
	"tapedeck/internal/local/localtest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
	"tapedeck/schema/clickhouse"
)

// closerCommand makes the test binary close a period: ClickHouse, NATS, the time, and the step
// at which it kills itself.
const closerCommand = "bill-closer"

func closerMain(args []string) int {
	err := closeAndDie(args[0], args[1], args[2], args[3])
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func closeAndDie(dsn, url, now, step string) error {
	conn, err := clickhouse.Open(dsn)
	if err != nil {
		return err
	}
	connection, err := nats.Connect(url)
	if err != nil {
		return err
	}
	clock := at(now)
	store := NewStore(query.NewReader(conn, query.WithClock(func() time.Time { return clock })), conn, KeyValueHeads{NATS: connection}, nil)
	store.batch = 16
	ctx := failpoint.With(context.Background(), func(reached string) error {
		if reached == step {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	})
	_, err = store.Close(ctx, Closing{Tenant: querytest.Tenant, Account: TenantID, Period: "2026-03"})
	return fmt.Errorf("the close went past %s: %w", step, err)
}

// TestKill kills the process that closes a period after each step. The period is open or
// closed then, never half, and another close leads to one bill with the same rows.
func TestKill(t *testing.T) {
	fulltest.Long(t)
	const calls = 40 // two rows for each
	for _, tc := range []struct {
		step   string
		listed bool // readers see the bill
		closed bool // it is committed: another close refuses
	}{
		{stepBegun, false, false}, // 80 rows, 16 in an insert
		{stepRows, false, false},
		{stepCommitted, false, true},
		{stepStored, true, true},
		{stepCleaned, true, true},
	} {
		t.Run(tc.step, func(t *testing.T) {
			server := localtest.Broker(t, broker.Options{Listen: "127.0.0.1:0"})
			connection, err := server.Connect()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(connection.Close)
			w := &world{T: t, db: querytest.New(t), nats: connection}
			w.setUp(connection)
			w.now = at("2026-04-02T00:00:00Z")
			w.calls(calls)
			cmd := exec.Command(os.Args[0], closerCommand, w.db.DSN, server.URL(), "2026-04-02T00:00:00Z", tc.step)
			out, err := cmd.CombinedOutput()
			if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
				t.Fatalf("the closer was not killed: %v\n%s", err, out)
			}
			w.open(tc.listed)
			if tc.closed {
				w.refuse(TenantID, "2026-03", 409, "INV-000001")
			} else if b := w.close(TenantID, "2026-03"); b.Number != "INV-000001" {
				t.Errorf("bill %s", b.Number)
			}
			w.open(true)
			b, err := w.store.Bill(t.Context(), querytest.Tenant, "INV-000001")
			if err != nil {
				t.Fatal(err)
			}
			if int(b.Rows) != 2*calls || int(b.Charges) != calls {
				t.Errorf("bill of %d rows and %d charges, expected %d calls", b.Rows, b.Charges, calls)
			}
			if v := w.verify(b.Number); !v.Equal {
				t.Errorf("verification: %+v", v)
			}
			w.now = at("2026-05-02T00:00:00Z")
			w.close(TenantID, "2026-04") // it is empty, and removes what was left
			w.attempts(1)
		})
	}
}

// calls records calls of March, each of a session of its own.
func (w *world) calls(n int) {
	w.Helper()
	const perSession = 100
	var list []querytest.Recording
	begin := at("2026-03-05T00:00:00Z")
	for i := 0; i < n; i += perSession {
		w.streams++
		r := querytest.Recording{Session: fmt.Sprint("s", i), Stream: w.streams}
		for j := range min(perSession, n-i) {
			u := querytest.Used(fmt.Sprint("u", j), opus, 0, schema.Tokens{Input: uint64(i + j + 1), Output: 3})
			u.Provider, u.At = "anthropic", begin.Add(time.Duration(i+j)*10*time.Second).UnixNano()
			r.Usages = append(r.Usages, u)
		}
		list = append(list, r)
	}
	w.db.Add(list...)
}

// open checks what readers see of March.
func (w *world) open(closed bool) {
	w.Helper()
	list, err := w.store.Closed(w.Context(), querytest.Tenant, TenantID)
	if err != nil || len(list) > 1 || closed != (len(list) == 1) {
		w.Errorf("%d bills, expected closed %v: %v", len(list), closed, err)
	}
}

// attempts checks of how many attempts there are rows, which are deleted in the background.
func (w *world) attempts(want uint64) {
	w.Helper()
	var got uint64
	for range 100 {
		if err := w.db.Conn.QueryRow(w.Context(), "SELECT uniqExact(attempt) FROM bill_rows").Scan(&got); err != nil {
			w.Fatal(err)
		}
		if got == want {
			return
		}
		time.Sleep(50 * time.Millisecond) // between two looks at the rows
	}
	w.Errorf("rows of %d attempts, expected %d", got, want)
}

// TestTwoClosers closes the same period at once, several times: one attempt succeeds, the
// others name its bill. Other accounts are closed at the same time and all numbers follow each
// other.
func TestTwoClosers(t *testing.T) {
	fulltest.Long(t)
	w := newWorld(t)
	w.prices("accounts: [{tag: customer}]")
	for i := range 4 {
		w.session(fmt.Sprint("s", i), fmt.Sprint("customer=c", i), call("a", "2026-03-05T00:00:00Z", "anthropic", opus, 100, 0))
	}
	w.now = at("2026-04-02T00:00:00Z")
	var wait sync.WaitGroup
	numbers, failures := make(chan string, 12), make(chan error, 12)
	for i := range 12 {
		wait.Go(func() {
			b, err := w.store.Close(t.Context(), Closing{Tenant: querytest.Tenant, Account: fmt.Sprint("customer=c", i%4), Period: "2026-03"})
			if err != nil {
				failures <- err
				return
			}
			numbers <- b.Number
		})
	}
	wait.Wait()
	close(numbers)
	close(failures)
	seen := map[string]bool{}
	for n := range numbers {
		seen[n] = true
	}
	for i := range 4 {
		if n := fmt.Sprintf("INV-%06d", i+1); !seen[n] {
			t.Errorf("there is no bill %s: %v", n, seen)
		}
	}
	if len(seen) != 4 {
		t.Errorf("%d bills: %v", len(seen), seen)
	}
	for err := range failures {
		if !strings.Contains(err.Error(), "closed") {
			t.Errorf("a slower attempt: %v", err)
		}
	}
	for i := range 4 {
		account := fmt.Sprint("customer=c", i)
		w.refuse(account, "2026-03", 409, "INV-00000")
		list, err := w.store.Closed(t.Context(), querytest.Tenant, account)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %d bills, %v", account, len(list), err)
		}
		if v := w.verify(list[0].Number); !v.Equal || v.Rows != 1 {
			t.Errorf("%s: %+v", account, v)
		}
	}
}

// TestLostAnswer commits a bill whose answer is lost. The next close settles it.
func TestLostAnswer(t *testing.T) {
	w := newWorld(t)
	w.calls(3)
	w.now = at("2026-04-02T00:00:00Z")
	w.store.heads = deafHeads{w.store.heads}
	if _, err := w.store.Close(t.Context(), Closing{Tenant: querytest.Tenant, Account: TenantID, Period: "2026-03"}); err == nil {
		t.Fatal("the close succeeded")
	}
	w.open(false)
	w.refuse(TenantID, "2026-03", 409, "INV-000001")
	w.open(true)
	w.attempts(1)
}

// deafHeads commits and loses the answer.
type deafHeads struct{ Heads }

func (d deafHeads) Commit(ctx context.Context, tenant string, b *Bill, revision uint64) error {
	if err := d.Heads.Commit(ctx, tenant, b, revision); err != nil {
		return err
	}
	return context.DeadlineExceeded
}
