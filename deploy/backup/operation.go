package backup

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Progress is how far a BACKUP or RESTORE of ClickHouse is.
type Progress struct {
	Files uint64 `json:"files"` // of the backup
	Bytes uint64 `json:"bytes"` // of the backup
	// ReadFiles and ReadBytes were restored.
	ReadFiles uint64 `json:"read_files"`
	ReadBytes uint64 `json:"read_bytes"`
}

const (
	pollEvery = 200 * time.Millisecond
	killLimit = 10 * time.Second
)

// bounded are settings that end a backup or restore soon when the storage does not answer or
// refuses: ClickHouse's defaults retry for hours.
const bounded = "backup_restore_s3_retry_attempts = 4, s3_retry_attempts = 4, s3_connect_timeout_ms = 5000, s3_request_timeout_ms = 60000"

// operate runs a BACKUP or RESTORE, which settings may follow, in ClickHouse's background
// until it ends. If ctx ends before, it is cancelled.
func operate(ctx context.Context, db driver.Conn, statement string, settings []string, report func(Progress)) error {
	settings = append(settings, bounded)
	var id, status string
	err := db.QueryRow(ctx, statement+" SETTINGS "+strings.Join(settings, ", ")+" ASYNC").Scan(&id, &status)
	if err != nil {
		return reason(err)
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var query string
	for {
		var p Progress
		var problem string
		err := db.QueryRow(ctx, operation, clickhouse.Named("id", id)).Scan(&status, &problem, &query, &p.Files, &p.Bytes, &p.ReadFiles, &p.ReadBytes)
		switch {
		case ctx.Err() != nil:
			kill(ctx, db, query)
			return ctx.Err()
		case errors.Is(err, sql.ErrNoRows):
			return errors.New("ClickHouse was restarted during the operation: its result is not used; start it again")
		case err != nil:
			return fmt.Errorf("read the progress: %w", err)
		}
		if report != nil {
			report(p)
		}
		switch status {
		case "BACKUP_CREATED", "RESTORED":
			return nil
		case "BACKUP_FAILED", "RESTORE_FAILED", "BACKUP_CANCELLED", "RESTORE_CANCELLED":
			return reason(errors.New(problem))
		}
		select {
		case <-ctx.Done():
			kill(ctx, db, query)
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// kill cancels an operation.
func kill(ctx context.Context, db driver.Conn, query string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), killLimit)
	defer cancel()
	_ = db.Exec(ctx, "KILL QUERY WHERE query_id = {id:String} SYNC", clickhouse.Named("id", query)) // it may have ended
}

// codes are the codes of ClickHouse's errors that are explained.
var codes = regexp.MustCompile(`(?i)code: (\d+)`)

// stack finds what ClickHouse appends to messages.
var stack = regexp.MustCompile(`(?s),? ?Stack trace.*| \(version [^)]*\).*`)

// bitFlip finds the causes of a wrong checksum that ClickHouse suggests.
var bitFlip = regexp.MustCompile(`(?s) The mismatch is caused.*?hardware failures: `)

// reason shortens an error of ClickHouse and adds what to do.
func reason(err error) error {
	text := stack.ReplaceAllString(err.Error(), "")
	code := ""
	if found := codes.FindStringSubmatch(text); found != nil {
		code = found[1]
	}
	hint := ""
	switch {
	case code == "40" || code == "432" || code == "271" || code == "33" || code == "32":
		return fmt.Errorf("%s: %w", bitFlip.ReplaceAllString(text, ""), ErrDamaged)
	case strings.Contains(text, "BackupsIOThreadPool"):
		hint = "this ClickHouse library cannot write to S3: install that of this version of tapedeck, or back up to a directory and upload that"
	case code == "598":
		hint = "choose another name: a backup is never overwritten"
	case code == "599":
		hint = "no complete backup is there: a backup that was interrupted has no list of its files and cannot be restored"
	case code == "318" || strings.Contains(text, "allowed_path"):
		hint = "set <backups><allowed_path> (or <allowed_disk>) in ClickHouse's configuration"
	case code == "243" || code == "76" && strings.Contains(text, "No space"), strings.Contains(text, "No space left"):
		hint = "free space at the place of the backup, then start again"
	case code == "497":
		hint = "ClickHouse's user needs the rights BACKUP, CREATE DATABASE, CREATE TABLE, DROP, SELECT and INSERT"
	case strings.Contains(text, "InvalidAccessKeyId"), strings.Contains(text, "SignatureDoesNotMatch"), strings.Contains(text, "AccessDenied"), strings.Contains(text, "HTTP response code: 403"):
		hint = "the storage refuses the key: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and the rights of the key on the bucket"
	}
	if hint == "" {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %s", text, hint)
}
