"""What each page shows, as frozen Structs: the JSON reads of the interface give the same ones."""
