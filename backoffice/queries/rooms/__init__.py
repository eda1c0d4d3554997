"""Pages of pit, cage and count room, where money is counted or changed."""
