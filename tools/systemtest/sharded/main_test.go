// Package sharded tests the program on a ClickHouse cluster.
package sharded

import (
	"testing"

	"tapedeck/tools/systemtest/commands/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }
