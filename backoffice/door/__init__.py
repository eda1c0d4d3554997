"""The door: what stands at the house's one address. Dealers' actions are taken here, everything else is passed on."""
