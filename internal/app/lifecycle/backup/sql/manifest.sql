SELECT info, seal FROM {{.}}.backup_info
