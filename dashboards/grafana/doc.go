// Package grafana declares the Grafana dashboards and writes them as the JSON files that Grafana
// reads. Panels of recordings read the views of schema/migrations/0021_reports.sql.
package grafana
