"""Descriptions of facts and columns for the labels of checks, and formatting of numbers."""

import math
import re

WORDS = {
    # Facts of environments.
    "absolute_moment": "first absolute moment of the noise",
    "epsilon": "epsilon of the moment condition",
    "kappa_ball": "kappa over the ball of radius S",
    "kappa_parameter": "kappa at the true parameter",
    "nu_exact": "exact root of the moment of order 1 + epsilon",
    "uniform_regret": "regret of uniform play in a round",
    "uniform_regret_from_smallest": "regret of uniform play in a round, counted from the worst arm",
    # Columns of regret and timing runs.
    "ball_activations": "rounds in which the ball acts",
    "distance_over_radius": "distance to the truth over the radius of the set",
    "error_over_width": "error of a prediction over its width",
    "final_potential": "sum of squared widths at the end",
    "inducing": "inducing points",
    "oracle_displacement": "distance of the fit from its start",
    "potential": "sum of squared widths",
    "potential_bound": "its bound",
    "regret_bound": "its bound",
    "regret_over_bound": "regret over its bound",
    "warm_up_rounds": "rounds of the warm-up",
    "width_bound": "its bound",
    # Columns of studies.
    "dimension": "effective dimension",
    "distance": "squared distance of the fit to the truth",
    "distinct": "distinct arms played",
    "error": "expected squared error of the fit",
    "information": "information gain",
    "initial": "rounds of Phase I",
    "ratio": "ratio of a variance to the exact one",
    "regret_share": "regret over the bound of the theorem",
    "share": "error of the fit over that of its start",
    "uniform_share": "regret of uniform play over the bound of the theorem",
    # Facts of studies.
    "accuracy_chain": "least slack of Proposition B.3, relative",
    "accuracy_drift": "largest error of the exact posterior against a fresh factorisation",
    "accuracy_eigenvalue_high": "largest eigenvalue of Corollary 4.2",
    "accuracy_eigenvalue_low": "smallest eigenvalue of Corollary 4.2",
    "accuracy_radius_share": "squared radius over its bound",
    "accuracy_ratio_high": "largest ratio of a variance of the sketch to the exact one",
    "accuracy_ratio_low": "smallest ratio of a variance of the sketch to the exact one",
    "accuracy_regret_share": "regret over the bound of Theorem 4.1",
    "accuracy_size_per_dimension": "inducing points over the effective dimension",
    "accuracy_size_share": "inducing points over their bound in Theorem 3.1",
    "accuracy_step_error": "largest relative violation of Proposition B.1",
    "accuracy_within": "share of rounds with all variances within a factor of three",
    "lemma_largest_distance": "largest distance to the truth over the radius",
    "lemma_least_bounded_share": "least share of rounds in which the lemma's bound holds",
    "lemma_trials_within_radius": "share of trials within the radius in all rounds",
    "oracle_second_term_power": "power of the second term of the bound",
    "price_alpha": "alpha of the theorem's epsilon",
    "price_regret": "factor on regret",
    "price_round": "factor on the cost of a round",
    "price_sketch": "factor on the number of inducing points",
    "starvation_highest": "largest ratio of a variance to the exact one",
    "starvation_lowest": "smallest ratio of a variance to the exact one",
    "theorem_bound_over_worst": "bound of the theorem over the worst possible regret",
    "theorem_regret_over_bound": "regret over the bound of the theorem",
}
# Arguments of metrics whose values are such names.
ARGUMENTS = ("name", "column", "against", "top", "bottom")


def in_words(name: str) -> str:
    """Return the words for a name with the name in brackets, or the name if it has no words."""
    seed = re.fullmatch("cluster_mean_(lowest|highest)_seed_([0-9]+)", name)
    words = f"{seed[1]} mean of a cluster, seed {seed[2]}" if seed else WORDS.get(name, "")
    return f"{words} ({name})" if words else name


def number(value: float) -> str:
    """Format a number with four significant digits, without an exponent for ordinary sizes."""
    if math.isnan(value):
        return "none"
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"
