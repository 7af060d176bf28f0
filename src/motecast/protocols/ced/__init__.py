"""Delivery in fields that fall apart: communities of static sensors, and subscribers that pass by [Liu et al. 2009]."""
