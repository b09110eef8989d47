// Package grafana declares the Grafana dashboards and writes them as the JSON files that Grafana
// reads. Panels of recordings read the views of the migrations 0021_reports and
// 0022_model_costs.
package grafana
