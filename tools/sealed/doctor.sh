doctor() { :; }
show_help() { :; }
