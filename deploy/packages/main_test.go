package packages

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"tapedeck/internal/local"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/engine/enginetest"
)

// serversEnv has the test binary run NATS and ClickHouse, and write a file with settings that name
// them.
const serversEnv = "TAPEDECK_TEST_SERVERS"

func TestMain(m *testing.M) {
	engine.RunIfChild()
	enginetest.Use()
	if path := os.Getenv(serversEnv); path != "" {
		if err := servers(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func servers(path string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s, err := local.Start(ctx, local.Options{Dir: path + ".data", ListenNATS: "127.0.0.1:4222"})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("TAPEDECK_NATS=%s\nTAPEDECK_CLICKHOUSE=%s\nTAPEDECK_MAX_BYTES=268435456\n", s.NATSURL(), s.ClickHouseDSN())
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return err
	}
	<-ctx.Done()
	return s.Close(context.WithoutCancel(ctx))
}
