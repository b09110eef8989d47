package bills

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/report/grouping"
)

var statements = grouping.Statements("billing/bills")

// Store closes and reads bills. It is safe for use by many goroutines.
type Store struct {
	reader  *query.Reader
	conn    driver.Conn
	heads   Heads
	log     *slog.Logger
	decoder Decoder // nil for none
	// complete returns a problem if charges of a period are not stored yet; nil if the store cannot
	// check this.
	complete func(ctx context.Context, tenant string, from, to time.Time) error
	batch    int // rows of one insert
}

// NewStore returns a store. The reader uses the same connection, which the caller closes. log may
// be nil.
func NewStore(reader *query.Reader, conn driver.Conn, heads Heads, log *slog.Logger) *Store {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Store{reader: reader, conn: conn, heads: heads, log: log, batch: insertRows}
}

func (s *Store) now() time.Time { return query.Instant(s.reader.Now()) }

// billShape selects the optional parts of sql/bills.sql.
type billShape struct{ Account, Number bool }

type billRow struct {
	Bill string `ch:"bill"`
}

// Closed returns the closed bills of an account, newest period first, or of all accounts of the
// tenant if account is "".
func (s *Store) Closed(ctx context.Context, tenant, account string) ([]Bill, error) {
	return s.read(ctx, tenant, account, "")
}

// read reads closed bills of a tenant, newest period first. account and number restrict them unless
// they are "".
func (s *Store) read(ctx context.Context, tenant, account, number string) ([]Bill, error) {
	rows, err := query.Ask[billRow](ctx, s.reader, statements, "bills", billShape{account != "", number != ""},
		query.Args{"tenant": tenant, "account": account, "number": number})
	if err != nil {
		return nil, err
	}
	list := make([]Bill, len(rows))
	for i := range rows {
		if err := json.Unmarshal([]byte(rows[i].Bill), &list[i]); err != nil {
			return nil, fmt.Errorf("read a bill of account %q: %w", account, err)
		}
	}
	return list, nil
}

// Bill returns a closed bill.
func (s *Store) Bill(ctx context.Context, tenant, number string) (*Bill, error) {
	list, err := s.read(ctx, tenant, "", number)
	if err != nil {
		return nil, err
	}
	if number == "" || len(list) == 0 {
		return nil, problem.NotFound(fmt.Sprintf("There is no bill %q.", number))
	}
	return &list[0], nil
}

// rowsShape selects the optional parts of sql/bill_rows.sql.
type rowsShape struct{ Charges, After, Limited bool }

// Rows calls visit with the rows of a bill in their order, starting at an ordinal: at most limit
// rows, or all if limit is 0.
func (s *Store) Rows(
	ctx context.Context, tenant string, b *Bill, from uint64, limit int, visit func(*Row) error,
) error {
	shape := rowsShape{After: from > 0, Limited: limit > 0}
	args := query.Args{"tenant": tenant, "attempts": []string{b.Attempt}, "ordinal": from, "limit": limit}
	return s.eachRow(ctx, shape, args, map[string]string{b.Attempt: b.Number}, visit)
}

// eachRow calls a function with rows of bills. numbers are the numbers of the bills, by attempt.
func (s *Store) eachRow(
	ctx context.Context, shape rowsShape, args query.Args, numbers map[string]string, visit func(*Row) error,
) error {
	return query.Each(ctx, s.reader, statements, "bill_rows", shape, args, func(stored *StoredRow) error {
		r, err := stored.Row(numbers[stored.Attempt])
		if err != nil {
			return fmt.Errorf("row %d of bill %s: %w", stored.Ordinal, r.Number, err)
		}
		return visit(&r)
	})
}

type numberRow struct {
	N uint64 `ch:"n"`
}

// number runs a statement that returns one number.
func (s *Store) number(ctx context.Context, statement string, args query.Args) (uint64, error) {
	row, err := query.AskOne[numberRow](ctx, s.reader, statements, statement, nil, args)
	return row.N, err
}

// settle stores the last committed bill if the process that committed it did not.
func (s *Store) settle(ctx context.Context, tenant string) (*Bill, uint64, error) {
	head, revision, err := s.heads.Head(ctx, tenant)
	if err != nil || head == nil {
		return head, revision, err
	}
	return head, revision, s.store(ctx, tenant, head)
}

// store inserts the head of a committed bill, which makes the bill visible to readers. It is
// idempotent.
func (s *Store) store(ctx context.Context, tenant string, b *Bill) error {
	args := query.Args{"tenant": tenant, "attempt": b.Attempt}
	stored, err := s.number(ctx, "attempt_is_stored", args)
	if err != nil || stored > 0 {
		return err
	}
	rows, err := s.number(ctx, "count_bill_rows", args)
	if err != nil {
		return err
	}
	if rows != b.Rows {
		return fmt.Errorf("bill %s of account %q was closed with %d rows, of which ClickHouse has %d: "+
			"restore the table bill_rows from a backup that has them",
			b.Number, b.Account, b.Rows, rows)
	}
	text, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("write bill %s: %w", b.Number, err)
	}
	batch, err := s.conn.PrepareBatch(ctx, statements.Must("insert_bill", nil))
	if err == nil {
		defer batch.Close()
		err = batch.Append(tenant, b.Account, b.Period, b.Number, b.Prefix, b.Sequence, b.Attempt, b.Start, b.End,
			*b.ClosedAt,
			b.Currency, b.PricesHash, b.RowsHash, b.Total.String(), string(text))
		if err == nil {
			err = batch.Send()
		}
	}
	if err != nil {
		return fmt.Errorf("store bill %s: %w", b.Number, err)
	}
	return nil
}

// clean removes rows that killed or slower attempts to close periods of an account left behind.
// bills are all bills of the account. They are complete even if clean fails.
func (s *Store) clean(ctx context.Context, tenant string, bills []Bill) error {
	periods := make([]string, len(bills))
	for i := range bills {
		periods[i] = bills[i].Period
	}
	args := query.Args{"tenant": tenant, "account": bills[0].Account, "periods": periods, "attempts": attempts(bills)}
	left, err := s.number(ctx, "leftover_attempts", args)
	if err != nil || left == 0 {
		return err
	}
	// With 0 the statement does not wait for the deletion, since readers do not see these rows.
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"lightweight_deletes_sync": 0}))
	named := make([]any, 0, len(args))
	for name, value := range args {
		named = append(named, clickhouse.Named(name, value))
	}
	if err = s.conn.Exec(ctx, statements.Must("remove_bill_rows", nil), named...); err != nil {
		return fmt.Errorf("remove rows of abandoned attempts: %w", err)
	}
	return nil
}

// PriceText returns the canonical text of the price table of a bill.
func (s *Store) PriceText(ctx context.Context, b *Bill) ([]byte, error) {
	table, err := s.reader.Prices(ctx, b.PricesHash)
	if err != nil {
		return nil, err
	}
	return table.Text(), nil
}
