package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/console"
)

// start creates the log of a server and loads its dialects. The level and the format of the log may
// change later.
func start(i *invocation, common *settings.Server, own interface {
	Exposed() []string
}) (*slog.Logger, error) {
	if err := common.Load(); err != nil {
		return nil, err
	}
	i.logged.Set(&common.Log)
	log := i.logged.Logger()
	for _, text := range i.warnings(own.Exposed()) {
		log.Warn("settings: one is probably a mistake", "reason", text)
	}
	return log, nil
}

// watch reloads the settings of a server at SIGHUP and when its configuration file changes, until
// ctx ends.
func (i *invocation) watch(ctx context.Context, n *node.Node, s *server.Server, log *slog.Logger) {
	r := &settings.Running{
		Log: log, Output: &i.logged, Node: n, Server: s, Current: i.sources.Effective(),
		Read: func() (*settings.Server, *settings.Sources, error) {
			again, err := newInvocation(ctx, i.args)
			if err != nil {
				return nil, nil, err
			}
			if again.context.Command() == "up" {
				return &again.cli.Up.Server, again.sources, nil
			}
			return &again.cli.Serve.Server, again.sources, nil
		},
	}
	hangups := make(chan os.Signal, 1)
	// Otherwise closing the terminal would not end the server.
	if i.sources.File() != "" || !console.IsTerminal(os.Stderr) {
		signal.Notify(hangups, syscall.SIGHUP)
	}
	go func() {
		defer signal.Stop(hangups)
		r.Run(ctx, i.sources.File(), hangups)
	}()
}
