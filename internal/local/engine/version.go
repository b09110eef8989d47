package engine

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// oldestYear is the year of the oldest supported ClickHouse release. The
// year is the first number of a ClickHouse version.
const oldestYear = 24

var versionPattern = regexp.MustCompile(`\bversion (\d+)\.(\d+)[0-9.]*`)

// parseVersion reads the version from the output of clickhouse --version,
// such as "ClickHouse server version 24.8.1.1 (official build).".
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
	if year < oldestYear {
		return fmt.Errorf("%s is ClickHouse %d.%d, which is too old (%d.1 is the oldest that works)", path, year,
			month, oldestYear)
	}
	return nil
}
