package torture

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"tapedeck/internal/local/engine"
	"tapedeck/schema/clickhouse"
)

// refusal is a ClickHouse that answers and stores nothing. heal takes it back.
type refusal struct {
	name  string
	code  string // that the sinks report
	begin func(ctx context.Context, c *cluster) error
}

// refusals returns the ways in which a ClickHouse refuses for a while.
func refusals() []refusal {
	table := func(begin, end string) func(context.Context, *cluster) error {
		return func(ctx context.Context, c *cluster) error {
			c.undo = append(c.undo, func(ctx context.Context) error { return c.execute(ctx, end) })
			return c.execute(ctx, begin)
		}
	}
	user := func(password, settings string) func(context.Context, *cluster) error {
		return func(ctx context.Context, c *cluster) error {
			c.undo = append(c.undo, func(ctx context.Context) error { return c.setWriter(ctx, writerPassword, "") })
			return c.setWriter(ctx, password, settings)
		}
	}
	return []refusal{
		{"too many parts", "TOO_MANY_PARTS", table("ALTER TABLE frames MODIFY SETTING max_parts_in_total = 1", "ALTER TABLE frames RESET SETTING max_parts_in_total")},
		{"a table is detached", "UNKNOWN_TABLE", table("DETACH TABLE IF EXISTS spans", "ATTACH TABLE IF NOT EXISTS spans")},
		{"no disk space", "NOT_ENOUGH_SPACE", table("ALTER TABLE frames MODIFY SETTING min_free_disk_bytes_to_perform_insert = 1000000000000000",
			"ALTER TABLE frames RESET SETTING min_free_disk_bytes_to_perform_insert")},
		{"read-only user", "READONLY", user(writerPassword, "<readonly>1</readonly>")},
		{"1 MB of memory", "MEMORY_LIMIT_EXCEEDED", user(writerPassword, "<max_memory_usage>1000000</max_memory_usage><max_untracked_memory>1000</max_untracked_memory>")},
		{"wrong password", "AUTHENTICATION_FAILED", user("another", "")},
	}
}

// The sinks are a user of their own in ClickHouse, so that it can refuse them alone.
const (
	writerUser     = "writer"
	writerPassword = "written"
)

// writerDSN is ClickHouse's address for the sinks, by way of the wire.
func (c *cluster) writerDSN() string {
	u, err := url.Parse(c.dsn())
	if err != nil {
		panic(err) // it is the engine's own
	}
	u.User = url.UserPassword(writerUser, writerPassword)
	return u.String()
}

// setWriter makes the sinks' user one of this password and these settings. That takes
// ClickHouse to start again.
func (c *cluster) setWriter(ctx context.Context, password, settings string) error {
	path := filepath.Join(filepath.Dir(c.engine.Health().Log), "users.xml")
	if c.users == "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		c.users = string(text)
	}
	hash := sha256.Sum256([]byte(password))
	profile := fmt.Sprintf("<%s><profile>default</profile>%s</%[1]s>", writerUser, settings)
	user := fmt.Sprintf("<%s><password_sha256_hex>%s</password_sha256_hex><networks><ip>127.0.0.1</ip></networks>"+
		"<profile>%[1]s</profile><quota>default</quota><grants><query>GRANT ALL ON *.*</query></grants></%[1]s>", writerUser, hex.EncodeToString(hash[:]))
	text := strings.Replace(c.users, "</profiles>", profile+"</profiles>", 1)
	text = strings.Replace(text, "</users>", user+"</users>", 1)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return err
	}
	before := c.engine.Health().PID
	if err := c.signalEngine(syscall.SIGKILL); err != nil {
		return err
	}
	return again(ctx, func() error {
		if h := c.engine.Health(); h.State != engine.Running || h.PID == before {
			return fmt.Errorf("ClickHouse is %s", h.State)
		}
		return nil
	})
}

// execute runs a statement in ClickHouse, past the wire. What an earlier fault of the
// round did to ClickHouse is over then.
func (c *cluster) execute(ctx context.Context, statement string) error {
	if err := c.signalEngine(syscall.SIGCONT); err != nil {
		return err
	}
	db, err := clickhouse.Open(c.engine.DSN())
	if err != nil {
		return err
	}
	defer db.Close()
	return again(ctx, func() error {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if err := db.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
		return nil
	})
}

// accept ends all refusals.
func (c *cluster) accept(ctx context.Context) error {
	var errs []error
	for _, undo := range c.undo {
		errs = append(errs, undo(ctx))
	}
	c.undo = nil
	return errors.Join(errs...)
}
