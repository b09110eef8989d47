package console

import (
	"fmt"
	"time"
)

// Count formats a number with a noun: 1 frame, 2,000 frames.
func Count[N ~int | ~int64 | ~uint64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + one + "s"
}

// Thousands formats a count with separators: 1,234,567.
func Thousands[N ~int | ~int64 | ~uint64](n N) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Millis formats a duration in milliseconds: 12.5ms, 3.20s, 1m5s.
func Millis(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return fmt.Sprintf("%.1fms", ms)
	case d < time.Minute:
		return fmt.Sprintf("%.2fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// LocalTime formats a time in the user's time zone.
func LocalTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// Bytes formats a size in units of 1024: 100 B, 1.5 KiB, 12 GiB.
func Bytes(n uint64) string {
	return size(n, 1024, []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"})
}

// DecimalBytes formats a size in units of 1000: 100 B, 1.5 kB, 12 GB.
func DecimalBytes(n uint64) string {
	return size(n, 1000, []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"})
}

// size formats a size with one decimal place below 10 units, otherwise with none.
func size(n uint64, base float64, units []string) string {
	v, unit := float64(n), 0
	for v >= base && unit < len(units)-1 {
		v /= base
		unit++
	}
	if unit > 0 && v < 9.95 {
		return fmt.Sprintf("%.1f %s", v, units[unit])
	}
	return fmt.Sprintf("%.0f %s", v, units[unit])
}
