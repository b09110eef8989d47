// Package upgrade tests the upgrade from the previous version, and the downgrade to it. The commit
// in the file previous is built from git, processes of both versions record and play concurrently,
// and servers are restarted one role after another in the documented order
// (docs/operate/upgrade.md). Afterwards every session is compared with the sent frames byte for
// byte, and usage reports are compared with the reports of the previous version.
//
//	TAPEDECK_TEST_LONG=1 go test ./tools/systemtest/upgrade -v -args -upgrade.load 60s
package upgrade
