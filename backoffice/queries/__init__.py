"""What each page shows, as frozen Structs: the endpoints of the interface answer with the same ones."""
