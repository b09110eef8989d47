package backup

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Progress is the progress of a BACKUP or RESTORE of ClickHouse.
type Progress struct {
	Files uint64 `json:"files"` // files of the backup
	Bytes uint64 `json:"bytes"` // bytes of the backup
	// ReadFiles and ReadBytes count what was restored.
	ReadFiles uint64 `json:"read_files"`
	ReadBytes uint64 `json:"read_bytes"`
}

const (
	pollEvery = 200 * time.Millisecond
	killLimit = 10 * time.Second
)

// bounded are settings that end a backup or restore soon if the storage does not answer or refuses
// requests. With ClickHouse's defaults it would retry for hours.
const bounded = "backup_restore_s3_retry_attempts = 4, s3_retry_attempts = 4, " +
	"s3_connect_timeout_ms = 5000, s3_request_timeout_ms = 60000"

// operate runs a BACKUP or RESTORE statement with settings in ClickHouse's background, and waits
// until it has ended. If ctx ends first, operate cancels the statement.
func operate(ctx context.Context, db driver.Conn, statement string, settings []string, report func(Progress)) error {
	settings = append(settings, bounded)
	explain := reason
	if strings.HasPrefix(statement, "RESTORE") {
		explain = readReason
	}
	var id, status string
	err := db.QueryRow(ctx, statement+" SETTINGS "+strings.Join(settings, ", ")+" ASYNC").Scan(&id, &status)
	if err != nil {
		return explain(err)
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var query string
	for {
		var p Progress
		var problem string
		err := db.QueryRow(ctx, operation, clickhouse.Named("id", id)).Scan(&status, &problem, &query, &p.Files,
			&p.Bytes, &p.ReadFiles, &p.ReadBytes)
		switch {
		case ctx.Err() != nil:
			kill(ctx, db, query)
			return errInterrupted
		case errors.Is(err, sql.ErrNoRows):
			return errors.New("ClickHouse was restarted during the operation: its result is not used; start it again")
		case err != nil:
			return fmt.Errorf("read the progress: %w", reason(err))
		}
		if report != nil {
			report(p)
		}
		switch status {
		case "BACKUP_CREATED", "RESTORED":
			return nil
		case "BACKUP_FAILED", "RESTORE_FAILED", "BACKUP_CANCELLED", "RESTORE_CANCELLED":
			return explain(errors.New(problem))
		}
		select {
		case <-ctx.Done():
			kill(ctx, db, query)
			return errInterrupted
		case <-tick.C:
		}
	}
}

// kill cancels an operation.
func kill(ctx context.Context, db driver.Conn, query string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killLimit)
	defer cancel()
	// An error means that the operation has ended already.
	_ = db.Exec(ctx, "KILL QUERY WHERE query_id = {id:String} SYNC", clickhouse.Named("id", query))
}
