// Package tenants shows with the real parts that tokens keep tenants apart.
package tenants

import (
	"testing"

	"tapedeck/internal/local/localtest"
)

func TestMain(m *testing.M) { localtest.Main(m) }
