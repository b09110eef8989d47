package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/local"
	"tapedeck/schema/clickhouse"
)

// Plain is the limit of a workload: one client inserts the same bytes in large batches into empty
// tables of the same ClickHouse, which have the columns, codecs and indexes of frames and messages.
// The CPU times are of ClickHouse's process alone.
type Plain struct {
	Frames Pass          `json:"frames"`
	Texts  Pass          `json:"texts"` // the zero value if the texts are not inserted
	Merges time.Duration `json:"merges_cpu_ns"`
}

// CPU returns ClickHouse's CPU time, including its later merges; 0 if it is unknown.
func (p *Plain) CPU() time.Duration { return p.Frames.CPU + p.Texts.CPU + p.Merges }

// Took returns the time of both inserts.
func (p *Plain) Took() time.Duration { return p.Frames.Took + p.Texts.Took }

// Bounds of one insert. ClickHouse writes one part for it.
const (
	plainRows  = 1_000_000
	plainBytes = 64 << 20
)

// plainInsert starts the servers of a pass again, without tapedeck. It fails unless everything is
// stored. Then it measures the plain insert.
func (w *workload) plainInsert(ctx context.Context, h *harness, data string) (_ *Plain, err error) {
	servers, err := local.Start(ctx, local.Options{Dir: data, Logger: h.Log})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, servers.Close(context.WithoutCancel(ctx))) }()
	db, err := clickhouse.Open(servers.ClickHouseDSN())
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if err := w.checkStored(ctx, db); err != nil {
		return nil, err
	}
	client, err := clickhouse.Dial(ctx, servers.ClickHouseDSN())
	if err != nil {
		return nil, err
	}
	defer client.Close()
	pid := servers.Health().ClickHouse.PID
	in := &plainInserter{client: client, pids: append(descendants(pid), pid)}
	if _, err := untilIdle(ctx, in.pids, shortPause); err != nil {
		return nil, err
	}
	p := &Plain{}
	if p.Frames, err = in.insert(ctx, "plain_frames", "frames", "raw", w.lines, nil); err != nil {
		return nil, err
	}
	if w.texts != nil {
		if p.Texts, err = in.insert(ctx, "plain_messages", "messages", "text", w.lines, w.texts()); err != nil {
			return nil, err
		}
	}
	before, ok := cpuOf(in.pids...)
	after, err := untilIdle(ctx, in.pids, w.pause(h))
	if ok {
		p.Merges = after - before
	}
	return p, err
}

// pause returns how long ClickHouse must be idle for its background work to count as done: longer
// if the workload is paired with a plain insert.
func (w *workload) pause(h *harness) time.Duration {
	if w.lines == nil {
		return shortPause
	}
	return pick(h, longPause, shortPause)
}

// checkStored fails unless all frames of the workload are in ClickHouse, each once, with all their
// bytes.
func (w *workload) checkStored(ctx context.Context, db driver.Conn) error {
	var frames, bytes, sessions uint64
	if err := db.QueryRow(ctx, statement("stored_frames"), w.transport).Scan(&frames, &bytes, &sessions); err != nil {
		return fmt.Errorf("count the stored frames: %w", err)
	}
	if frames != w.frames || bytes != w.bytes || w.sessions > 0 && sessions != uint64(w.sessions) {
		return fmt.Errorf("ClickHouse has %d of %d frames, %d of %d bytes, in %d of %d sessions",
			frames, w.frames, bytes, w.bytes, sessions, w.sessions)
	}
	if w.stored == 0 {
		return nil
	}
	var texts uint64
	if err := db.QueryRow(ctx, statement("stored_texts")).Scan(&texts); err != nil {
		return fmt.Errorf("count the stored texts: %w", err)
	}
	if texts != w.stored {
		return fmt.Errorf("ClickHouse has %d of %d bytes of texts", texts, w.stored)
	}
	return nil
}

// plainInserter inserts rows over one connection.
type plainInserter struct {
	client *ch.Client
	pids   []int // of ClickHouse
}

// plainRowsOf are the columns of one insert.
type plainRowsOf struct {
	session, value proto.ColStr
	number         proto.ColUInt64
}

// insert makes a table like another one, and inserts the frames, or their texts. The pass has the
// time and CPU time of the inserts alone, without that of reading the source.
func (in *plainInserter) insert(ctx context.Context, table, like, column string,
	lines func(func(session string, raw []byte) error) error, texts func(raw []byte) ([]string, error),
) (run Pass, err error) {
	if err := in.client.Do(ctx, ch.Query{Body: fmt.Sprintf("CREATE TABLE %s AS %s", table, like)}); err != nil {
		return run, fmt.Errorf("create table %s: %w", table, err)
	}
	var rows plainRowsOf
	flush := func() error {
		if rows.number.Rows() == 0 {
			return nil
		}
		input := proto.Input{
			{Name: "session_id", Data: rows.session},
			{Name: numberOf(like), Data: rows.number},
			{Name: column, Data: rows.value},
		}
		began := time.Now()
		cpu, _ := cpuOf(in.pids...) // unknown below too
		err := in.client.Do(ctx, ch.Query{Body: input.Into(table), Input: input})
		if err != nil {
			return fmt.Errorf("insert into %s: %w", table, err)
		}
		now, _ := cpuOf(in.pids...)
		run.Took += time.Since(began)
		run.CPU += now - cpu
		run.Messages++
		rows.session.Reset()
		rows.number.Reset()
		rows.value.Reset()
		return nil
	}
	add := func(session string, value []byte) error {
		rows.session.Append(session)
		rows.number.Append(run.Frames)
		rows.value.AppendBytes(value)
		run.Frames++
		run.Bytes += uint64(len(value))
		if rows.number.Rows() < plainRows && len(rows.value.Buf) < plainBytes {
			return nil
		}
		return flush()
	}
	err = lines(func(session string, raw []byte) error {
		if texts == nil {
			return add(session, raw)
		}
		list, err := texts(raw)
		for _, text := range list {
			if err := add(session, []byte(text)); err != nil {
				return err
			}
		}
		return err
	})
	if err == nil {
		err = flush()
	}
	return run, err
}

// numberOf returns the column of a table's key that is different for each row of a plain insert.
func numberOf(table string) string {
	return map[string]string{"frames": "seq", "messages": "seen_seq"}[table]
}
