SELECT sum(bytes) FROM streams FINAL WHERE startsWith(session_id, concat({name:String}, '-'))
