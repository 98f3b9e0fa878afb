clean_sealed() { :; }
