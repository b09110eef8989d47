package engine

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// The oldest supported ClickHouse release, the first whose text index needs no experimental setting.
// The numbers of a version are the year and the month.
const (
	oldestYear  = 26
	oldestMonth = 2
)

// Oldest is the oldest supported version of ClickHouse, of a server as well as of a program on PATH.
var Oldest = fmt.Sprintf("%d.%d", oldestYear, oldestMonth)

var versionPattern = regexp.MustCompile(`\bversion (\d+)\.(\d+)[0-9.]*`)

// parseVersion reads the version from the output of clickhouse --version,
// such as "ClickHouse server version 26.2.1.1 (official build).".
func parseVersion(output string) (year, month int, err error) {
	found := versionPattern.FindStringSubmatch(output)
	if found == nil {
		return 0, 0, fmt.Errorf("no version in %.80q", output)
	}
	if year, err = strconv.Atoi(found[1]); err != nil {
		return 0, 0, fmt.Errorf("version in %.80q: %w", output, err)
	}
	if month, err = strconv.Atoi(found[2]); err != nil {
		return 0, 0, fmt.Errorf("version in %.80q: %w", output, err)
	}
	return year, month, nil
}

// checkBinary returns an error if the clickhouse at path is too old. Debian's own package, for
// example, is from 2018 and lacks most features that tapedeck's tables need.
func checkBinary(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	// "server" comes first: old releases accept --version only after a subcommand.
	output, err := exec.CommandContext(ctx, path, "server", "--version").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s server --version: %w", path, err)
	}
	year, month, err := parseVersion(string(output))
	if err != nil {
		return fmt.Errorf("%s server --version: %w", path, err)
	}
	if year < oldestYear || year == oldestYear && month < oldestMonth {
		return fmt.Errorf("%s is ClickHouse %d.%d, which is too old: %s or newer is needed", path, year, month, Oldest)
	}
	return nil
}
