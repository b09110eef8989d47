SELECT sum(length(text)) FROM messages FINAL WHERE tenant = 'default'
