package torture

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"tapedeck/internal/local/broker"
)

// brokerRole in the environment makes this program a NATS server: its value is
// the directory.
const (
	brokerRole    = "TAPEDECK_TORTURE_NATS"
	brokerAddress = "TAPEDECK_TORTURE_NATS_ADDRESS"
)

func brokerCommand(dir, addr string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), brokerRole+"="+dir, brokerAddress+"="+addr)
	return cmd
}

// RunIfBroker runs NATS and exits, where this process was started for that.
func RunIfBroker() {
	dir := os.Getenv(brokerRole)
	if dir == "" {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	s, err := broker.Start(broker.Options{Dir: dir, Listen: os.Getenv(brokerAddress), Token: natsToken, MaxStore: natsRoom, Logger: log})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	<-ctx.Done()
	if err := s.Stop(context.WithoutCancel(ctx)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
