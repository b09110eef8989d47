package main

import (
	"context"

	"tapedeck/internal/app/node"
	"tapedeck/internal/app/server"
)

// closeNode ends a node whose server was not started.
func closeNode(ctx context.Context, n *node.Node) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), server.StopTimeout)
	defer cancel()
	return n.Close(ctx)
}
